"""Condenses everything that was watched, however long, into as many steps as a plot can show. Memory is bounded."""

from array import array
from typing import Final

from accel.model.dataclass import dataclass, replace
from accel.watch.sampling.history import KEPT
from accel.watch.sampling.tick import Happening, Tick

_MOST_HAPPENINGS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The mean, minimum and maximum of one reading of one device in a step; None if it was never known in the step."""

    mean: float | None
    least: float | None
    most: float | None


class Condensed:
    """Ticks, aggregated into steps whose length doubles whenever there are too many.

    most        the maximum number of steps
    step_seconds  the length of a step; began, ended: the first and the last tick's time by the system's clock
    happenings  (seconds, event), the first ones
    nameless    omit from the events what may identify a machine: its unique ids, the driver's messages
    """

    def __init__(self, most: int = 720, *, nameless: bool = False) -> None:
        self._most, self._nameless = most, nameless
        self.step_seconds = 1.0
        self._has_step = False
        self.began: float | None = None
        self.ended: float | None = None
        self.seconds = 0.0
        self.ticks = 0
        self.happenings: list[tuple[float, Happening]] = []
        self.names: dict[str, str | None] = {}
        self._first = 0.0
        self._series: dict[tuple[str, str], _Steps] = {}

    def add(self, tick: Tick) -> None:
        """Add a tick. Its `seconds` must not be less than those of the previous tick."""
        if self.began is None:
            self.began, self._first = tick.time, tick.seconds
        elif not self._has_step and tick.seconds > self._first:
            self.step_seconds, self._has_step = tick.seconds - self._first, True
        self.ended, self.seconds = tick.time, tick.seconds - self._first
        self.ticks += 1
        room = _MOST_HAPPENINGS - len(self.happenings)
        told = tick.happenings[: max(0, room)]
        self.happenings += [(self.seconds, _bare(one) if self._nameless else one) for one in told]
        place = int(self.seconds / self.step_seconds + 1e-9)
        while place >= self._most:
            self.step_seconds *= 2
            for series in self._series.values():
                series.halve()
            place = int(self.seconds / self.step_seconds + 1e-9)
        for device, readings in zip(tick.devices, tick.readings, strict=False):
            self.names.setdefault(device.id, device.name)
            for name in KEPT:
                value = getattr(readings, name)
                if value is not None:
                    series_of = self._series.get((readings.id, name))
                    if series_of is None:
                        series_of = self._series[readings.id, name] = _Steps()
                    series_of.put(place, value)

    @property
    def readings(self) -> tuple[str, ...]:
        """The readings with at least one known value, in their usual order."""
        known = {name for _, name in self._series}
        return tuple(name for name in KEPT if name in known)

    def steps(self, device: str, reading: str) -> list[Step]:
        """Return all steps of a reading, from the beginning to the end."""
        series = self._series.get((device, reading))
        count = int(self.seconds / self.step_seconds + 1e-9) + 1 if self.ticks else 0
        unknown = Step(mean=None, least=None, most=None)
        return [series.step(place) for place in range(count)] if series is not None else [unknown] * count


def _bare(happening: Happening) -> Happening:
    return replace(happening, text=f"{happening.device or 'all devices'}: {happening.kind}")


class _Steps:
    """Count, sum, minimum and maximum of each step."""

    __slots__ = ("_count", "_least", "_most", "_sum")

    def __init__(self) -> None:
        self._count, self._sum, self._least, self._most = array("l"), array("d"), array("d"), array("d")

    def put(self, place: int, value: float) -> None:
        missing = place + 1 - len(self._count)
        if missing > 0:
            self._count.extend([0] * missing)
            for values in (self._sum, self._least, self._most):
                values.extend([0.0] * missing)
        if self._count[place]:
            self._least[place], self._most[place] = min(self._least[place], value), max(self._most[place], value)
        else:
            self._least[place] = self._most[place] = value
        self._count[place] += 1
        self._sum[place] += value

    def halve(self) -> None:
        """Merge each pair of steps."""
        old = [self._row(place) for place in range(len(self._count))]
        self.__init__()  # type: ignore[misc]
        for place in range(0, len(old), 2):
            pair = [row for row in old[place : place + 2] if row[0]]
            self._count.append(sum(row[0] for row in pair))
            self._sum.append(sum(row[1] for row in pair))
            self._least.append(min((row[2] for row in pair), default=0.0))
            self._most.append(max((row[3] for row in pair), default=0.0))

    def step(self, place: int) -> Step:
        if place >= len(self._count) or not self._count[place]:
            return Step(mean=None, least=None, most=None)
        count, total, least, most = self._row(place)
        return Step(mean=total / count, least=least, most=most)

    def _row(self, place: int) -> tuple[int, float, float, float]:
        return self._count[place], self._sum[place], self._least[place], self._most[place]
