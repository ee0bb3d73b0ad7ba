"""Heat or the power limit keeps the clocks low."""

from collections.abc import Iterator
from typing import Final

from accel.watch.advise.look import Cause, Look, cause, percent

_LEAST_SHARE: Final = 0.2
_HEAT: Final = ("thermal", "hw-slowdown")
_POWER: Final = ("power-cap", "power-brake")


def find(look: Look) -> Iterator[Cause]:
    if not look.working:
        return
    for name, words in (("held-down-by-heat", _HEAT), ("held-down-by-power", _POWER)):
        told: dict[str, tuple[float, set[str]]] = {}
        for device in look.devices:
            rows = [s.readings[device.id].clock_event_reasons for s in look.working if device.id in s.readings]
            known = [reasons for reasons in rows if reasons is not None]
            hits = [reason for reasons in known for reason in reasons if any(word in reason for word in words)]
            steps = sum(any(word in reason for reason in reasons for word in words) for reasons in known)
            if known and steps / len(known) >= _LEAST_SHARE:
                told[device.id] = steps / len(known), set(hits)
        if told:
            yield cause(name, "high", None, _evidence(look, told), tuple(told))


def _evidence(look: Look, told: dict[str, tuple[float, set[str]]]) -> Iterator[str]:
    for device, (share, reasons) in told.items():
        steps = [step.readings[device] for step in look.working if device in step.readings]
        facts = [f"{device}: {', '.join(sorted(reasons))} in {percent(share)} of the time in which it worked"]
        degrees = [one.temperature_celsius for one in steps if one.temperature_celsius is not None]
        clocks = [one.clock_mhz for one in steps if one.clock_mhz is not None]
        watts = [one.power_watts for one in steps if one.power_watts is not None]
        if degrees:
            facts.append(f"up to {max(degrees):.0f} °C")
        if clocks:
            span = f"{min(clocks)} to {max(clocks)}" if max(clocks) > min(clocks) else f"{clocks[0]}"
            facts.append(f"clock {span} MHz")
        if watts:
            facts.append(f"{sum(watts) / len(watts):.0f} W on average")
        yield ", ".join(facts)
