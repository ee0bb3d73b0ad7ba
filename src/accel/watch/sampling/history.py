"""The recent history of every device in bounded memory: the last minutes tick by tick, a day in steps.

Values are kept as four-byte floats. That precision is useless for energy counters, so counters are not kept.
"""

from array import array
from collections.abc import Sequence
from typing import Final

from accel.model.dataclass import dataclass
from accel.watch.sampling.tick import Tick

KEPT: Final = (
    *("busy_percent", "saturated_percent", "tensor_percent", "memory_busy_percent", "memory_bandwidth_percent"),
    *("memory_used_bytes", "temperature_celsius", "power_watts", "clock_mhz", "pcie_sent_bytes_per_second"),
    *("pcie_received_bytes_per_second", "link_sent_bytes_per_second", "link_received_bytes_per_second"),
)
_UNKNOWN: Final = float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One step of the history. seconds: of the tick, or the middle of the step; None: never known in the step."""

    seconds: float
    mean: float | None
    least: float | None
    most: float | None


class History:
    """The history of each device.

    recent        the number of ticks that are kept individually
    step_seconds  the length of a step of the longer history; steps: how many of these are kept
    """

    def __init__(self, *, recent: int = 900, step_seconds: float = 60.0, steps: int = 1440) -> None:
        self._recent, self._step_seconds, self._steps = recent, step_seconds, steps
        self._times = _Ring(recent, exact=True)
        self._devices: dict[str, dict[str, _Series]] = {}
        self._count = 0
        self._step: int | None = None
        self._first_step = 0

    def add(self, tick: Tick) -> None:
        """Add a tick. Its `seconds` must not be less than those of the previous tick."""
        step = int(tick.seconds // self._step_seconds)
        if self._step is None:
            self._first_step = step
        for _ in range(min(step - (self._step if self._step is not None else step), self._steps)):
            for kept in self._devices.values():
                for one in kept.values():
                    one.close_step()
        self._step = step
        self._times.put(tick.seconds)
        self._count += 1
        seen = set()
        for readings in tick.readings:
            seen.add(readings.id)
            own = self._devices.get(readings.id)
            if own is None:
                own = self._devices[readings.id] = {}
            for name in KEPT:
                value = getattr(readings, name)
                series = own.get(name)
                if series is None:
                    if value is None:
                        continue  # most devices never tell most of these
                    series = own[name] = _Series(self._recent, self._steps)
                series.put(value, self._count)
        for name in self._devices.keys() - seen:
            if not any(one.is_recent(self._count) for one in self._devices[name].values()):
                del self._devices[name]

    @property
    def devices(self) -> tuple[str, ...]:
        """The ids of the devices with any history."""
        return tuple(self._devices)

    def recent(self, device: str, reading: str) -> list[tuple[float, float | None]]:
        """Return (seconds, value) of the last ticks, oldest first; None if the value was unknown."""
        times = self._times.values()
        return list(zip(times, self.last(device, reading, len(times)), strict=True))

    def last(self, device: str, reading: str, count: int) -> list[float | None]:
        """Return the values of the last `count` ticks, or of all if there are fewer, oldest first."""
        count = min(count, self._times.length)
        series = self._devices.get(device, {}).get(reading)
        return series.recent_values(self._count, count) if series else [None] * count

    def steps(self, device: str, reading: str) -> list[Point]:
        """Return the longer history, oldest step first, without the current step."""
        series = self._devices.get(device, {}).get(reading)
        if series is None or self._step is None:
            return []
        rows = series.step_values()
        first = self._step - len(rows)
        return [
            Point(seconds=(first + place + 0.5) * self._step_seconds, mean=mean, least=least, most=most)
            for place, (mean, least, most) in enumerate(rows)
        ]


class _Ring:
    """A ring buffer of the last numbers."""

    __slots__ = ("_at", "_values", "count", "room")

    def __init__(self, room: int, *, exact: bool = False) -> None:
        self.room, self.count, self._at = room, 0, 0
        self._values: array[float] = array("d" if exact else "f")

    def put(self, value: float) -> None:
        if len(self._values) < self.room:
            self._values.append(value)
        else:
            self._values[self._at] = value
        self._at = (self._at + 1) % self.room
        self.count += 1

    @property
    def length(self) -> int:
        return len(self._values)

    def values(self, last: int | None = None) -> list[float]:
        """Return the numbers, or only the last ones, oldest first."""
        begins = 0 if last is None else max(0, self.length - last)
        if self.length < self.room:
            return self._values[begins:].tolist()
        begins += self._at
        if begins >= self.room:
            return self._values[begins - self.room : self._at].tolist()
        return [*self._values[begins:], *self._values[: self._at]]


class _Series:
    """One reading of one device: the last ticks, and the minimum, mean and maximum of each step."""

    __slots__ = ("_last", "_least", "_mean", "_most", "_recent", "_sums")

    def __init__(self, recent: int, steps: int) -> None:
        self._recent = _Ring(recent)
        self._mean, self._least, self._most = (_Ring(steps) for _ in range(3))
        self._last = 0  # the count of the tick that was put in last
        self._sums = (0, 0.0, 0.0, 0.0)  # of the step that goes on: how many, their sum, least and most

    def put(self, value: float | None, count: int) -> None:
        missing = min(count - self._last - 1, self._recent.room) if self._last else 0
        for _ in range(missing):
            self._recent.put(_UNKNOWN)
        self._last = count
        self._recent.put(_UNKNOWN if value is None else value)
        if value is not None:
            number, total, least, most = self._sums
            self._sums = (
                (number + 1, total + value, min(least, value), max(most, value)) if number else (1, value, value, value)
            )

    def close_step(self) -> None:
        number, total, least, most = self._sums
        self._mean.put(total / number if number else _UNKNOWN)
        self._least.put(least if number else _UNKNOWN)
        self._most.put(most if number else _UNKNOWN)
        self._sums = (0, 0.0, 0.0, 0.0)

    def is_recent(self, count: int) -> bool:
        """Return whether any of its ticks is among those that are kept."""
        return count - self._last < self._recent.room

    def recent_values(self, count: int, length: int) -> list[float | None]:
        """Return the values of the last `length` ticks of `count`."""
        values = _known(self._recent.values(length))
        values += [None] * min(count - self._last, length)
        return ([None] * (length - len(values)) + values)[-length:] if length else []

    def step_values(self) -> list[tuple[float | None, float | None, float | None]]:
        rows = zip(self._mean.values(), self._least.values(), self._most.values(), strict=True)
        return [(None, None, None) if mean != mean else (mean, least, most) for mean, least, most in rows]


def _known(values: Sequence[float]) -> list[float | None]:
    return [None if value != value else value for value in values]
