"""The devices are idle all the time, and the program computes on the CPU or waits for something else."""

from collections.abc import Iterator
from typing import Final

from accel.vendors.contract.command import command_line, number_word
from accel.watch.advise.look import Cause, Confidence, Look, advice_table, cause, mean, percent, total

_RESTS: Final = 0.9  # of the time
_WORKS: Final = 0.7  # processors
_SLEEPS: Final = 0.1


def find(look: Look) -> Iterator[Cause]:
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
