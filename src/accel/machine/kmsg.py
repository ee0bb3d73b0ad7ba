"""Reads the kernel's message buffer, one record per read, without blocking at its end.

Source  Linux Documentation/ABI/testing/dev-kmsg: EAGAIN at the end, EPIPE where records were overwritten while reading
"""

import os
from typing import Final

PATH: Final = "/dev/kmsg"
_RECORD_BYTES: Final = 1 << 13  # a shorter buffer is refused
_MOST_RECORDS: Final = 200_000  # while the kernel writes faster than this is read


def records(limit_bytes: int) -> str:
    """Return the records, one per line, along with their property lines; the oldest first. Raises OSError."""
    found: list[bytes] = []
    size = 0
    pipe = os.open(PATH, os.O_RDONLY | os.O_NONBLOCK)
    try:
        for _ in range(_MOST_RECORDS):
            try:
                record = os.read(pipe, _RECORD_BYTES)
            except BlockingIOError:
                break
            except BrokenPipeError:
                continue
            found.append(record)
            size += len(record)
            if not record or size > limit_bytes:
                break
    finally:
        os.close(pipe)
    return b"".join(found).decode("utf-8", "replace")
