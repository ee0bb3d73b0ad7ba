"""Waits for readable descriptors, however many are open: select() does not support numbers above 1,023."""

import select
import sys
from collections.abc import Collection
from typing import Final

_SELECT_LIMIT: Final = 1024  # FD_SETSIZE
_LONGEST_MILLISECONDS: Final = (1 << 31) - 1  # a C int


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
