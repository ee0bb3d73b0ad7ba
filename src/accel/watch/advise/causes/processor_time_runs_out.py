"""The control group's CPU quota is exhausted, and its threads are stopped until the next period."""

from collections.abc import Iterator
from typing import Final

from accel.watch.advise.look import Cause, Confidence, Look, cause, mean, percent

_LEAST_SHARE: Final = 0.1
_MUCH: Final = 0.3


def find(look: Look) -> Iterator[Cause]:
    throttled = mean(step.throttled for step in look.steps)
    if throttled is None or throttled < _LEAST_SHARE:
        return
    share = look.program.share_cpus if look.program is not None else None
    told = f", which is {share:g} processors" if share is not None else ""
    sure: Confidence = "high" if throttled >= _MUCH else "medium"
    yield cause(
        "processor-time-runs-out",
        sure,
        look.idle_share or None,
        ((f"its control group was throttled in {percent(throttled)} of its periods because of its CPU quota{told}"),),
    )
