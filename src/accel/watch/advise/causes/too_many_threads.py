"""There are more runnable threads than CPUs, so they compete for CPU time."""

from collections.abc import Iterator
from typing import Final

from accel.watch.advise.look import Cause, Confidence, Look, cause, mean, percent, total

_OVER: Final = 1.5  # ratio of runnable threads to processors
_USED: Final = 0.85  # of the processors
_WAITED: Final = 0.3  # of the time, in which a task waited for a processor


def find(look: Look) -> Iterator[Cause]:
    cpus = look.program.cpus if look.program is not None else None
    running = mean(total(one.running for one in step.processes) for step in look.steps if step.processes)
    used = look.cores(look.steps)
    stalled = mean(step.stalled_cpu for step in look.steps)
    if cpus is None or running is None or running < max(_OVER * cpus, cpus + 1):
        return
    if (used is None or used < _USED * cpus) and (stalled is None or stalled < _WAITED):
        return
    evidence = [f"{running:.0f} of its threads wanted to run at once, on {cpus:g} processors"]
    if used is not None:
        evidence.append(f"it used the time of {used:.1f} processors")
    if stalled is not None:
        evidence.append(f"a task waited for a processor in {percent(stalled)} of the time")
    variables = dict(look.program.variables or ()) if look.program is not None else {}
    threads = variables.get("OMP_NUM_THREADS")
    evidence.append(f"OMP_NUM_THREADS is {threads}" if threads else "OMP_NUM_THREADS is not set")
    sure: Confidence = "high" if used is not None and used >= _USED * cpus else "medium"
    share = look.idle_share
    yield cause("too-many-threads", sure, share or None, evidence)
