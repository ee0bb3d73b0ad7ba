"""Readings that differ from those of similar devices under similar load, without fixed limits: by median and MAD."""

from array import array
from collections.abc import Iterator, Mapping
from functools import cache
from statistics import median
from typing import Any, Final

from accel.fleet.model import NodeAnswer, Outlier

_LEAST_PEERS: Final = 8
_SIGMA: Final = 1.4826  # from the median of absolute deviations to a standard deviation
_FAR: Final = 6.0
_OF_BENCH: Final = {"least": 0.0, "share": 0.05}  # what a saved bench measured: a twentieth


@cache
def _readings() -> Mapping[str, Mapping[str, Any]]:
    """Return which differences of a reading matter: its row in specs/system/fleet.yaml."""
    from accel.specs import load

    rows: Mapping[str, Mapping[str, Any]] = load().table("system/fleet")["readings"]
    return rows


class Gathered:
    """The readings of a fleet by model, load and reading, in arrays: 80,000 devices take a few megabytes."""

    def __init__(self) -> None:
        self._readings = _readings()
        self._values: dict[tuple[str, str, str], array[float]] = {}
        self._owners: dict[tuple[str, str, str], list[tuple[str, str]]] = {}

    def add(self, answer: NodeAnswer) -> None:
        """Add the readings of a node's devices."""
        for device in answer.devices:
            owner = answer.node, device.id
            for reading, value in device.readings.items():
                row = self._readings.get(reading)
                load = "any" if row is None else row.get("load", "same")
                if device.load != "busy" and (load == "busy" or (load == "same" and not device.load)):
                    continue
                # What a benchmark measured was measured under its own load.
                key = device.name or "", device.load if row is not None else "", reading
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
        middle = median(ordered)
        spread = median(abs(value - middle) for value in ordered)
        row = self._readings.get(reading, _OF_BENCH)
        matters = max(row["least"], row["share"] * abs(middle))
        limit = max(_FAR * _SIGMA * spread, matters)
        if ordered[0] >= middle - limit and ordered[-1] <= middle + limit:
            return
        low, high = ordered[len(ordered) // 10], ordered[-len(ordered) // 10]
        for value, (node, device) in zip(values, self._owners[key], strict=True):
            harmless = row.get("low") == "harmless" if value < middle else row is _OF_BENCH  # a faster rate
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
