"""The host is short of memory: pages are read back from swap or from files."""

from collections.abc import Iterator
from typing import Final

from accel.watch.advise.look import Cause, Confidence, Look, cause, mean, percent, total

_LEAST_RATE: Final = 1e6  # bytes a second
_LEAST_FAULTS: Final = 50.0  # a second, that read from disk
_STALLED: Final = 0.1
_MEBIBYTE: Final = 2.0**20


def find(look: Look) -> Iterator[Cause]:
    swapped = mean(step.swapped_in_bytes_per_second for step in look.steps)
    faults = mean(total(p.major_faults_per_second for p in step.processes) for step in look.steps if step.processes)
    stalled = mean(step.stalled_memory for step in look.steps)
    held = max((total(p.swapped_bytes for p in s.processes or ()) or 0 for s in look.steps), default=0)
    if swapped is None or swapped < _LEAST_RATE or faults is None or faults < _LEAST_FAULTS:
        return
    evidence = [
        (
            f"{swapped / _MEBIBYTE:.1f} MiB a second came back from swap; it had {faults:.0f} page faults a "
            "second that read from disk"
        )
    ]
    if held:
        evidence.append(f"{held / _MEBIBYTE:.0f} MiB of it are in swap")
    if stalled is not None:
        evidence.append(f"a task waited for memory in {percent(stalled)} of the time")
    sure: Confidence = "high" if held and stalled is not None and stalled >= _STALLED else "medium"
    yield cause("host-memory-short", sure, look.idle_share or None, evidence)
