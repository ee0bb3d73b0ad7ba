"""Replays recorded ticks: some of their devices, at a given pace."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from accel.model.dataclass import replace
from accel.model.device import Device
from accel.watch.sampling.chosen import chosen
from accel.watch.sampling.tick import Tick


def only(ticks: Iterable[Tick], devices: Sequence[Device], which: Sequence[str]) -> Iterator[Tick]:
    """Yield the ticks with only the devices that `which` selects, or all without it. Raises NoSuchDevice."""
    if not which:
        return iter(ticks)
    _, is_meant = chosen(devices, which)
    return _only(ticks, is_meant)


def _only(ticks: Iterable[Tick], is_meant: Callable[[Device], bool]) -> Iterator[Tick]:
    known: tuple[Device, ...] = ()
    kept: tuple[Device, ...] = ()
    for tick in ticks:
        if tick.devices is not known:
            known, kept = tick.devices, tuple(device for device in tick.devices if is_meant(device))
        ids = {device.id for device in kept}
        yield replace(
            tick,
            devices=kept,
            readings=tuple(readings for readings in tick.readings if readings.id in ids),
            happenings=tuple(one for one in tick.happenings if one.device is None or one.device in ids),
        )


def paced(ticks: Iterable[Tick], speed: float, waited: Callable[[float], bool]) -> Iterator[Tick]:
    """Yield the ticks at their original pace, divided by speed.

    waited  waits for a number of seconds; if it returns True, the replay ends
    """
    before: float | None = None
    for tick in ticks:
        if before is not None and waited(max(0.0, tick.seconds - before) / speed):
            return
        before = tick.seconds
        yield tick
