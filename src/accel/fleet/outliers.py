"""Readings that differ from those of similar devices under similar load, without fixed limits: by median and MAD."""

from array import array
from collections.abc import Iterator
from statistics import median
from typing import Final

from accel.fleet.model import NodeAnswer, Outlier

_LEAST_PEERS: Final = 8
_SIGMA: Final = 1.4826  # from the median of absolute deviations to a standard deviation
_FAR: Final = 6.0
# reading -> the least difference that matters in practice: (absolute, share of the median)
_MATTERS: Final = {
    "temperature_celsius": (8.0, 0.0),
    "memory_temperature_celsius": (8.0, 0.0),
    "power_watts": (25.0, 0.1),
    "clock_mhz": (60.0, 0.05),
    "clock_memory_mhz": (60.0, 0.05),
    "fan_percent": (20.0, 0.0),
    "corrected_errors": (20.0, 0.0),
    "uncorrected_errors": (1.0, 0.0),
    "pcie_replays": (50.0, 0.0),
    "memory_reserved_bytes": (2.0**29, 0.0),
}
_OF_BENCH: Final = (0.0, 0.05)  # what a saved bench measured: a twentieth
_BUSY_ALONE: Final = frozenset(("clock_mhz", "clock_memory_mhz", "power_watts"))  # of idle devices they say nothing
_OF_ANY_LOAD: Final = frozenset(("corrected_errors", "uncorrected_errors", "pcie_replays", "memory_reserved_bytes"))


def _needs_load(reading: str) -> bool:
    return reading in _MATTERS and reading not in _OF_ANY_LOAD


class Gathered:
    """The readings of a fleet by model, load and reading, in arrays: 80,000 devices take a few megabytes."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str, str], array[float]] = {}
        self._owners: dict[tuple[str, str, str], list[tuple[str, str]]] = {}

    def add(self, answer: NodeAnswer) -> None:
        """Add the readings of a node's devices."""
        for device in answer.devices:
            owner = answer.node, device.id
            for reading, value in device.readings.items():
                if device.load != "busy" and (reading in _BUSY_ALONE or (_needs_load(reading) and not device.load)):
                    continue
                # What a benchmark measured was measured under its own load.
                key = device.name or "", device.load if reading in _MATTERS else "", reading
                values = self._values.get(key)
                if values is None:
                    values = self._values[key] = array("d")
                    self._owners[key] = []
                values.append(value)
                self._owners[key].append(owner)

    def outliers(self) -> tuple[Outlier, ...]:
        """Return the outliers, largest deviation first."""
        found = [one for key, values in self._values.items() for one in self._of(key, values)]
        return tuple(one for _, one in sorted(found, key=lambda pair: (-pair[0], pair[1].node, pair[1].device)))

    def _of(self, key: tuple[str, str, str], values: "array[float]") -> Iterator[tuple[float, Outlier]]:
        name, _, reading = key
        if len(values) < _LEAST_PEERS:
            return
        ordered = sorted(values)
        middle = _median(ordered)
        spread = median(abs(value - middle) for value in ordered)
        least, share = _MATTERS.get(reading, _OF_BENCH)
        matters = max(least, share * abs(middle))
        limit = max(_FAR * _SIGMA * spread, matters)
        if ordered[0] >= middle - limit and ordered[-1] <= middle + limit:
            return
        low, high = ordered[len(ordered) // 10], ordered[-len(ordered) // 10]
        for value, (node, device) in zip(values, self._owners[key], strict=True):
            harmless = reading in _HIGH_ALONE if value < middle else reading not in _MATTERS  # a faster rate
            if abs(value - middle) > limit and not harmless:
                yield (
                    abs(value - middle) / limit,
                    Outlier(
                        node=node,
                        device=device,
                        name=name,
                        reading=reading,
                        value=value,
                        median=middle,
                        low=low,
                        high=high,
                        peers=len(values) - 1,
                    ),
                )


_HIGH_ALONE: Final = frozenset(
    (
        *("temperature_celsius", "memory_temperature_celsius", "corrected_errors", "uncorrected_errors"),
        *("pcie_replays", "fan_percent"),
    )
)  # lower values of these are not faults


def _median(ordered: list[float]) -> float:
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
