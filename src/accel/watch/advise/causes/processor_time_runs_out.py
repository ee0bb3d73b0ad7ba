"""The control group's CPU quota is exhausted, and its threads are stopped until the next period."""

from collections.abc import Iterator
from typing import Final

from accel.watch.advise.look import Cause, Change, Confidence, Look, mean, percent

_LEAST_SHARE: Final = 0.1
_MUCH: Final = 0.3


def find(look: Look) -> Iterator[Cause]:
    throttled = mean(step.throttled for step in look.steps)
    if throttled is None or throttled < _LEAST_SHARE:
        return
    share = look.program.share_cpus if look.program is not None else None
    told = f", which is {share:g} processors" if share is not None else ""
    sure: Confidence = "high" if throttled >= _MUCH else "medium"
    yield Cause(
        name="processor-time-runs-out",
        title="The container's share of processor time runs out",
        confidence=sure,
        share=look.idle_share or None,
        evidence=(
            (f"its control group was throttled in {percent(throttled)} of its periods because of its CPU quota{told}"),
        ),
        changes=(
            Change(text="Give it more processors: limits.cpu of a pod, --cpus of docker, --cpus-per-task of Slurm"),
            Change(text="Start fewer threads and loader processes", code="export OMP_NUM_THREADS=1"),
        ),
    )
