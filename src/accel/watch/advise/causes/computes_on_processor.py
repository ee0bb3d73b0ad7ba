"""The devices are idle all the time, and the program computes on the CPU or waits for something else."""

from collections.abc import Iterator
from typing import Final

from accel.vendors.contract.command import command_line, number_word
from accel.watch.advise.look import Cause, Change, Look, mean, percent, total

_RESTS: Final = 0.9  # of the time
_WORKS: Final = 0.7  # processors
_SLEEPS: Final = 0.1
_OF_NETWORK: Final = ("tcp", "inet", "sk_wait", "udp", "skb", "unix_stream", "sock")
_OF_LOCK: Final = ("futex",)
_OF_OTHERS: Final = ("pipe", "do_wait", "wait4", "eventfd")
_OF_TIME: Final = ("nanosleep", "hrtimer")


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
        yield Cause(
            name="computes-on-processor",
            title="The program computes on the processor"
            + (" and gives the devices nothing to do" if look.devices else ", and uses no accelerator"),
            confidence="medium",
            share=look.idle_share,
            evidence=(*((rested,) if look.devices else ()), told),
            changes=(
                Change(
                    text="Check whether model and data are on the device",
                    code="next(model.parameters()).device  # and  batch.device",
                ),
                Change(text="Check whether the framework's build can use this device", code="accel doctor"),
                Change(text="If it is still starting (imports, compiling, reading a data set), check again later"),
            ),
        )
    elif max(used, wanted or 0.0) < _SLEEPS:
        yield _sleeps(look, rested, used)


def _sleeps(look: Look, rested: str, used: float) -> Cause:
    places = [one.waits_in for step in look.steps for one in step.processes or () if one.is_first and one.waits_in]
    place = max(set(places), key=places.count) if places else None
    what, change = _meant(place)
    evidence = [rested, f"it used the time of {used:.2f} processors: it sleeps"]
    if place is not None:
        looks = percent(places.count(place) / len(look.steps))
        evidence.append(f"its first thread sleeps in {place} in {looks} of the looks: {what}")
    return Cause(
        name="waits-for-something-else",
        title="The program waits for something else than the devices",
        confidence="medium" if place is not None else "low",
        share=look.idle_share,
        evidence=tuple(evidence),
        changes=(change, Change(text="Check the line that it waits in, if py-spy is installed", code=_stack(look))),
    )


def _meant(place: str | None) -> tuple[str, Change]:
    """Return what a kernel function says about the wait, and what to check."""
    other = Change(text="Check what it waits for: another rank, a service, user input")
    if place is None:
        return "", other
    for words, what, text in (
        (
            _OF_NETWORK,
            "it waits for the network",
            "Look at the other end: another rank that is behind or ended, a server, a download",
        ),
        (
            _OF_LOCK,
            "it waits for another of its threads",
            "Look for a deadlock, or for the thread that works: loaders that ended, a collective",
        ),
        (
            _OF_OTHERS,
            "it waits for another of its processes",
            "Check its child processes: one may have ended, or is waiting itself",
        ),
        (
            _OF_TIME,
            "it sleeps for a time that it chose",
            "Look for a sleep in the program, or a server without requests",
        ),
    ):
        if any(word in place for word in words):
            return what, Change(text=text)
    return "what it waits for is unknown", other


def _stack(look: Look) -> str | None:
    return command_line("py-spy dump --pid", number_word(look.program.pid)) if look.program is not None else None
