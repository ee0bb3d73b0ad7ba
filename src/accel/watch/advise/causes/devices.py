"""Causes in the devices: low clocks, copies that do not overlap, one that is slow, too little work for each kernel."""

from collections.abc import Callable, Iterator
from statistics import median
from typing import Final

from accel.model.readings import Readings
from accel.watch.advise.look import Cause, Confidence, Look, cause, mean, percent

_HELD_SHARE: Final = 0.2
_HEAT: Final = ("thermal", "hw-slowdown")
_POWER: Final = ("power-cap", "power-brake")


def clocks_held_down(look: Look) -> Iterator[Cause]:
    """Heat or the power limit keeps the clocks low."""
    if not look.working:
        return
    for name, words in (("held-down-by-heat", _HEAT), ("held-down-by-power", _POWER)):
        told: dict[str, tuple[float, set[str]]] = {}
        for device in look.devices:
            rows = [s.readings[device.id].clock_event_reasons for s in look.working if device.id in s.readings]
            known = [reasons for reasons in rows if reasons is not None]
            hits = [reason for reasons in known for reason in reasons if any(word in reason for word in words)]
            steps = sum(any(word in reason for reason in reasons for word in words) for reasons in known)
            if known and steps / len(known) >= _HELD_SHARE:
                told[device.id] = steps / len(known), set(hits)
        if told:
            yield cause(name, "high", None, _held(look, told), tuple(told))


def _held(look: Look, told: dict[str, tuple[float, set[str]]]) -> Iterator[str]:
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


_COPIES_SHARE: Final = 0.1
_COPIES_RATE: Final = 1e9  # bytes a second
_COPIES_TIMES: Final = 2.0  # more than while it works


def copies_synchronously(look: Look) -> Iterator[Cause]:
    """The devices pause while a lot of data arrives over the bus: copies and computation do not overlap."""
    share = look.idle_share
    if share is None or share < _COPIES_SHARE or not look.working:
        return
    pausing = look.mean(lambda one: one.pcie_received_bytes_per_second, look.idle)
    working = look.mean(lambda one: one.pcie_received_bytes_per_second, look.working)
    if pausing is None or pausing < _COPIES_RATE or (working is not None and pausing < _COPIES_TIMES * working):
        return
    rest = "" if working is None else f", {working / 1e9:.1f} GB/s while it worked"
    yield cause(
        "synchronous-copies",
        "medium",
        share,
        (f"{pausing / 1e9:.1f} GB/s came in over the bus while the devices were idle{rest}",),
    )


_LEAST_PEERS: Final = 3  # devices, from which on one can differ from the others
_CLOCK: Final = 0.85  # of the others' median
_LESS_BUSY: Final = 30.0  # by which it is less busy than they
_WAITING: Final = 85.0  # busy, which a device that waits in a collective seems to be


def one_is_slow(look: Look) -> Iterator[Cause]:
    """One of several devices that do the same work is slower, and the others wait for it."""
    if len(look.devices) < _LEAST_PEERS:
        return
    busy = _means(look, lambda one: one.busy_percent)
    clock = _means(look, lambda one: None if one.clock_mhz is None else float(one.clock_mhz))
    for device, value in clock.items():
        usual = median(other for name, other in clock.items() if name != device) if len(clock) >= _LEAST_PEERS else 0.0
        if usual and value < _CLOCK * usual and busy.get(device, 0.0) >= _WAITING / 2:
            told = f"{device} ran at {value:.0f} MHz, the others at {usual:.0f}"
            yield _slow_one(look, device, told, "high", 1 - value / usual)
            return
    for device, value in busy.items():
        others = [other for name, other in busy.items() if name != device]
        if len(busy) >= _LEAST_PEERS and min(others) >= _WAITING and value < median(others) - _LESS_BUSY:
            told = f"{device} was {value:.0f} % busy, the others {median(others):.0f} %, as if they waited"
            yield _slow_one(look, device, told, "medium", None)
            return


def _slow_one(look: Look, device: str, told: str, sure: Confidence, share: float | None) -> Cause:
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


_BUSY: Final = 60.0
_SATURATED: Final = 30.0
_LEAST_POWER: Final = 0.45  # of the limit
_STARTING: Final = 0.85  # of the time: the thread that starts kernels does nothing else
_CAPPED: Final = ("power", "thermal", "slowdown", "brake")


def small_kernels(look: Look) -> Iterator[Cause]:
    """The device is always busy but hardly any of it is active: many small kernels, launched one by one."""
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
    elif power is not None and power < _LEAST_POWER and not held:
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
