"""The devices pause while the program writes a checkpoint or logs."""

from collections.abc import Iterator
from typing import Final

from accel.watch.advise.look import Cause, Confidence, Look, cause, mean, total

_LEAST_SHARE: Final = 0.05
_LEAST_RATE: Final = 10e6  # bytes a second
_TIMES: Final = 3.0  # more than while it works, or reads
_MEBIBYTE: Final = 2.0**20


def find(look: Look) -> Iterator[Cause]:
    share = look.idle_share
    if share is None or share < _LEAST_SHARE or not look.working or not look.pauses:
        return
    written = mean(total(p.written_bytes_per_second for p in s.processes) for s in look.idle if s.processes)
    read = mean(total(p.read_bytes_per_second for p in s.processes) for s in look.idle if s.processes)
    working = mean(total(p.written_bytes_per_second for p in s.processes) for s in look.working if s.processes)
    if written is None or written < _LEAST_RATE or (read is not None and written < _TIMES * read):
        return
    if working is not None and written < _TIMES * working:
        return
    rest = f", {working / _MEBIBYTE:.1f} while they worked" if working is not None else ""
    sure: Confidence = "high" if working is not None else "medium"
    yield cause(
        "stops-to-write",
        sure,
        share,
        (
            f"{written / _MEBIBYTE:.0f} MiB a second were written while the devices rested{rest}",
            f"{len(look.pauses)} pauses, the longest of {max(look.pauses):.1f} s",
        ),
    )
