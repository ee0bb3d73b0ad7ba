"""Waits for readable descriptors and passes messages through pipes.

However many are open: select() does not support numbers above 1,023.
"""

import os
import select
import struct
import sys
from collections.abc import Collection, Iterator
from typing import Final

_SELECT_LIMIT: Final = 1024  # FD_SETSIZE
_LONGEST_MILLISECONDS: Final = (1 << 31) - 1  # a C int
_HEAD: Final = struct.Struct("<cI")  # kind of message, length of its payload


def readable(descriptors: Collection[int], seconds: float) -> list[int]:
    """Wait until at least one descriptor is readable or closed, and return those that are; [] on timeout."""
    # macOS has a poll() that knows no terminals; `selectors` would choose so too, but takes 6 ms to import.
    if not hasattr(select, "poll") or (sys.platform == "darwin" and max(descriptors, default=0) < _SELECT_LIMIT):
        return select.select(list(descriptors), [], [], max(0.0, seconds))[0]
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    milliseconds = -(-max(0.0, seconds) * 1000 // 1)  # rounded up: else a wait of under 1 ms would be a busy loop
    return [descriptor for descriptor, _ in poll.poll(min(milliseconds, _LONGEST_MILLISECONDS))]


def write_all(pipe: int, data: bytes) -> None:
    """Write all of the data, however little the pipe takes at once."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(pipe, rest) :]


def send_message(pipe: int, kind: bytes, payload: bytes) -> None:
    """Write a message; `messages` reads it at the other end. kind: one byte."""
    write_all(pipe, _HEAD.pack(kind, len(payload)) + payload)


def messages(buffer: bytearray) -> Iterator[tuple[bytes, bytes]]:
    """Take the complete messages out of what has arrived so far: kind and payload."""
    while len(buffer) >= _HEAD.size:
        kind, length = _HEAD.unpack_from(buffer)
        end = _HEAD.size + length
        if len(buffer) < end:
            return
        payload = bytes(buffer[_HEAD.size : end])
        del buffer[:end]
        yield kind, payload
