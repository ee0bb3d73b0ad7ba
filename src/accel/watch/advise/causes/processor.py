"""Causes in the processor: the program computes there, or lacks its time or memory, or has too many threads."""

from collections.abc import Iterator
from typing import Final

from accel.vendors.contract.command import command_line, number_word
from accel.watch.advise.look import Cause, Confidence, Look, advice_table, cause, mean, percent, total

_RESTS: Final = 0.9  # of the time
_WORKS: Final = 0.7  # processors
_SLEEPS: Final = 0.1


def computes_on_processor(look: Look) -> Iterator[Cause]:
    """The devices are idle all the time, and the program computes on the CPU or waits for something else."""
    if look.devices and (look.idle_share is None or look.idle_share < _RESTS or look.working):
        return
    used = look.cores(look.steps)
    if used is None:
        return
    share = look.idle_share
    rested = "it uses no accelerator" if share is None else f"the devices rested in {percent(share)} of the time"
    wanted = mean(total(p.running for p in step.processes) for step in look.steps if step.processes)
    if max(used, wanted or 0.0) >= _WORKS:
        told = f"it used the time of {used:.1f} processors"
        if used < _WORKS:
            told += f"; {wanted:.1f} of its threads wanted to run, but other programs use the processors"
        so = " and gives the devices nothing to do" if look.devices else ", and uses no accelerator"
        seen = (rested, told) if look.devices else (told,)
        yield cause("computes-on-processor", "medium", look.idle_share, seen, so=so)
    elif max(used, wanted or 0.0) < _SLEEPS:
        yield _sleeps(look, rested, used)


def _sleeps(look: Look, rested: str, used: float) -> Cause:
    places = [one.waits_in for step in look.steps for one in step.processes or () if one.is_first and one.waits_in]
    place = max(set(places), key=places.count) if places else None
    what, check = _meant(place)
    evidence = [rested, f"it used the time of {used:.2f} processors: it sleeps"]
    if place is not None:
        looks = percent(places.count(place) / len(look.steps))
        evidence.append(f"its first thread sleeps in {place} in {looks} of the looks: {what}")
    sure: Confidence = "medium" if place is not None else "low"
    return cause("waits-for-something-else", sure, look.idle_share, evidence, check=check, stack=_stack(look))


def _meant(place: str | None) -> tuple[str, str]:
    """Return what a kernel function says about the wait, and what to check."""
    rows = advice_table()["waits"]
    row = next((one for one in rows if place is not None and any(word in place for word in one["in"])), rows[-1])
    return row["means"], row["check"]


def _stack(look: Look) -> str:
    return command_line("py-spy dump --pid", number_word(look.program.pid)) or "" if look.program is not None else ""


_LEAST_SWAPPED: Final = 1e6  # bytes a second
_LEAST_FAULTS: Final = 50.0  # a second, that read from disk
_STALLED: Final = 0.1
_MEBIBYTE: Final = 2.0**20


def memory_is_swapped(look: Look) -> Iterator[Cause]:
    """The host is short of memory: pages are read back from swap or from files."""
    swapped = mean(step.swapped_in_bytes_per_second for step in look.steps)
    faults = mean(total(p.major_faults_per_second for p in step.processes) for step in look.steps if step.processes)
    stalled = mean(step.stalled_memory for step in look.steps)
    held = max((total(p.swapped_bytes for p in s.processes or ()) or 0 for s in look.steps), default=0)
    if swapped is None or swapped < _LEAST_SWAPPED or faults is None or faults < _LEAST_FAULTS:
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


_THROTTLED: Final = 0.1
_MUCH_THROTTLED: Final = 0.3


def processor_time_runs_out(look: Look) -> Iterator[Cause]:
    """The control group's CPU quota is exhausted, and its threads are stopped until the next period."""
    throttled = mean(step.throttled for step in look.steps)
    if throttled is None or throttled < _THROTTLED:
        return
    share = look.program.share_cpus if look.program is not None else None
    told = f", which is {share:g} processors" if share is not None else ""
    sure: Confidence = "high" if throttled >= _MUCH_THROTTLED else "medium"
    yield cause(
        "processor-time-runs-out",
        sure,
        look.idle_share or None,
        ((f"its control group was throttled in {percent(throttled)} of its periods because of its CPU quota{told}"),),
    )


_TIMES_CPUS: Final = 1.5  # ratio of runnable threads to processors
_USED_CPUS: Final = 0.85  # of the processors
_WAITED: Final = 0.3  # of the time, in which a task waited for a processor


def too_many_threads(look: Look) -> Iterator[Cause]:
    """There are more runnable threads than CPUs, so they compete for CPU time."""
    cpus = look.program.cpus if look.program is not None else None
    running = mean(total(one.running for one in step.processes) for step in look.steps if step.processes)
    used = look.cores(look.steps)
    stalled = mean(step.stalled_cpu for step in look.steps)
    if cpus is None or running is None or running < max(_TIMES_CPUS * cpus, cpus + 1):
        return
    if (used is None or used < _USED_CPUS * cpus) and (stalled is None or stalled < _WAITED):
        return
    evidence = [f"{running:.0f} of its threads wanted to run at once, on {cpus:g} processors"]
    if used is not None:
        evidence.append(f"it used the time of {used:.1f} processors")
    if stalled is not None:
        evidence.append(f"a task waited for a processor in {percent(stalled)} of the time")
    variables = dict(look.program.variables or ()) if look.program is not None else {}
    threads = variables.get("OMP_NUM_THREADS")
    evidence.append(f"OMP_NUM_THREADS is {threads}" if threads else "OMP_NUM_THREADS is not set")
    sure: Confidence = "high" if used is not None and used >= _USED_CPUS * cpus else "medium"
    share = look.idle_share
    yield cause("too-many-threads", sure, share or None, evidence)
