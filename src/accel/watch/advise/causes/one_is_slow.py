"""One of several devices that do the same work is slower, and the others wait for it."""

from collections.abc import Callable, Iterator
from statistics import median
from typing import Final

from accel.model.readings import Readings
from accel.watch.advise.look import Cause, Confidence, Look, cause

_LEAST: Final = 3  # devices, from which on one can differ from the others
_CLOCK: Final = 0.85  # of the others' median
_BUSY_POINTS: Final = 30.0  # by which it is less busy than they
_WAITING: Final = 85.0  # busy, which a device that waits in a collective seems to be


def find(look: Look) -> Iterator[Cause]:
    if len(look.devices) < _LEAST:
        return
    busy = _means(look, lambda one: one.busy_percent)
    clock = _means(look, lambda one: None if one.clock_mhz is None else float(one.clock_mhz))
    for device, value in clock.items():
        usual = median(other for name, other in clock.items() if name != device) if len(clock) >= _LEAST else 0.0
        if usual and value < _CLOCK * usual and busy.get(device, 0.0) >= _WAITING / 2:
            told = f"{device} ran at {value:.0f} MHz, the others at {usual:.0f}"
            yield _cause(look, device, told, "high", 1 - value / usual)
            return
    for device, value in busy.items():
        others = [other for name, other in busy.items() if name != device]
        if len(busy) >= _LEAST and min(others) >= _WAITING and value < median(others) - _BUSY_POINTS:
            told = f"{device} was {value:.0f} % busy, the others {median(others):.0f} %, as if they waited"
            yield _cause(look, device, told, "medium", None)
            return


def _cause(look: Look, device: str, told: str, sure: Confidence, share: float | None) -> Cause:
    steps = [step.readings[device] for step in look.steps if device in step.readings]
    reasons = sorted({reason for one in steps for reason in one.clock_event_reasons or () if reason != "idle"})
    evidence = [told]
    if reasons:
        evidence.append(f"its clocks were limited by {', '.join(reasons)}")
    return cause("one-device-slow", sure, share, evidence, (device,))


def _means(look: Look, of: Callable[[Readings], float | None]) -> dict[str, float]:
    found = {}
    for device in look.devices:
        values = [v for s in look.steps if device.id in s.readings and (v := of(s.readings[device.id])) is not None]
        if values:
            found[device.id] = sum(values) / len(values)
    return found
