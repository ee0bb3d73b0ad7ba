"""The device is always busy but hardly any of it is active: many small kernels, launched one by one."""

from collections.abc import Iterator
from typing import Final

from accel.watch.advise.look import Cause, Confidence, Look, cause, mean, percent

_BUSY: Final = 60.0
_SATURATED: Final = 30.0
_POWER: Final = 0.45  # of the limit
_STARTING: Final = 0.85  # of the time: the thread that starts kernels does nothing else
_CAPPED: Final = ("power", "thermal", "slowdown", "brake")


def find(look: Look) -> Iterator[Cause]:
    busy = mean(busy for _, busy in look.busy)
    if busy is None or busy < _BUSY or not look.working:
        return
    saturated = look.mean(lambda one: one.saturated_percent, look.working)
    power = look.mean(lambda one: _of_limit(one.power_watts, one.power_limit_watts), look.working)
    starting = look.first_at_work(look.working)
    held = any(word in reason for step in look.working for one in step.readings.values()
               for reason in one.clock_event_reasons or () for word in _CAPPED)  # fmt: skip
    if saturated is not None:
        if saturated >= _SATURATED:
            return
        told = f"the devices were {busy:.0f} % busy, and only {saturated:.0f} % of their compute units worked"
        lost = 1 - saturated / 100
    elif power is not None and power < _POWER and not held:
        told = f"the devices were {busy:.0f} % busy, and drew only {percent(power)} of the power that they may"
        lost = None
    else:
        return
    evidence = [told]
    sure: Confidence = "medium" if saturated is not None else "low"
    if starting is not None and starting >= _STARTING:
        evidence.append(f"its first process computed in {percent(starting)} of that time: it starts kernels")
        sure = "high" if saturated is not None else "medium"
    yield cause("small-kernels", sure, lost, evidence)


def _of_limit(watts: float | None, limit: float | None) -> float | None:
    return watts / limit if watts is not None and limit else None
