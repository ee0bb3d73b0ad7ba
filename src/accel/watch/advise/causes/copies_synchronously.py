"""The devices pause while a lot of data arrives over the bus: copies and computation do not overlap."""

from collections.abc import Iterator
from typing import Final

from accel.watch.advise.look import Cause, Look, cause

_LEAST_SHARE: Final = 0.1
_LEAST_RATE: Final = 1e9  # bytes a second
_TIMES: Final = 2.0  # more than while it works


def find(look: Look) -> Iterator[Cause]:
    share = look.idle_share
    if share is None or share < _LEAST_SHARE or not look.working:
        return
    pausing = look.mean(lambda one: one.pcie_received_bytes_per_second, look.idle)
    working = look.mean(lambda one: one.pcie_received_bytes_per_second, look.working)
    if pausing is None or pausing < _LEAST_RATE or (working is not None and pausing < _TIMES * working):
        return
    rest = "" if working is None else f", {working / 1e9:.1f} GB/s while it worked"
    yield cause(
        "synchronous-copies",
        "medium",
        share,
        (f"{pausing / 1e9:.1f} GB/s came in over the bus while the devices were idle{rest}",),
    )
