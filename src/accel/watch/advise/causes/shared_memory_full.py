"""The shared memory through which data loader processes pass their batches is small or full."""

from collections.abc import Iterator
from typing import Final

from accel.watch.advise.look import Cause, Confidence, Look, cause, percent

_FULL: Final = 0.95
_SMALL_BYTES: Final = 64 << 20  # a container's default
_MEBIBYTE: Final = 2.0**20


def find(look: Look) -> Iterator[Cause]:
    known = [
        (s.shm_total_bytes, s.shm_free_bytes) for s in look.steps if s.shm_total_bytes and s.shm_free_bytes is not None
    ]
    if not known:
        return
    total = known[-1][0] or 0
    most = max(1 - (free or 0) / (size or 1) for size, free in known)
    children = max((len(step.processes) - 1 for step in look.steps if step.processes), default=0)
    if most < _FULL and not (total <= _SMALL_BYTES and children and most > 0.5):
        return
    sure: Confidence = "high" if most >= _FULL else "medium"
    yield cause(
        "shared-memory-full",
        sure,
        None,
        (
            f"/dev/shm, of {total / _MEBIBYTE:,.0f} MiB, was {percent(most)} full",
            f"{children} child processes were there",
        ),
    )
