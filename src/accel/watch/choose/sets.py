"""Sets of devices, the best first: alike, healthy, unused, close to each other, with a lot of free memory. Pure.

If there are few sets, all are compared. Otherwise each device is in turn the seed of one: the closest device is added
until there are enough, then single devices are exchanged as long as that improves it.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Final

from accel.model.device import Device
from accel.watch.choose.fitness import free_bytes
from accel.watch.choose.nearness import Near

_ALL: Final = 5000  # sets that are looked at one by one: some 50 ms
_HEALTH: Final = {"ok": 0, "unknown": 1, "warning": 2, "critical": 3}
_Worth = tuple[object, ...]
_Places = tuple[int, ...]


def best_sets(devices: Sequence[Device], count: int, near: Near) -> Iterator[tuple[Device, ...]]:
    """Yield sets of `count` devices, the best first, each in the devices' order; of many sets only the best ones."""
    if not 0 < count <= len(devices):
        return
    table = _Table(devices, near)
    if comb(len(devices), count) <= _ALL:
        found: Sequence[_Places] = list(combinations(range(len(devices)), count))
    else:
        found = table.grown(count)
    for places in sorted(found, key=table.worth):
        yield tuple(devices[place] for place in places)


class _Table:
    """What is needed about each device and each pair, computed once."""

    def __init__(self, devices: Sequence[Device], near: Near) -> None:
        self._count = len(devices)
        self._near = [[0.0 if one is other else near(one, other).rank for other in devices] for one in devices]
        self._from_all = [sum(row) for row in self._near]
        self._names = [device.name or device.id for device in devices]
        self._state = [(_HEALTH[device.health], device.processes != ()) for device in devices]
        self._use = [int(device.utilization_percent or 0) // 10 for device in devices]
        self._free = [(free_bytes(device) or 0) >> 30 for device in devices]

    def worth(self, places: _Places) -> _Worth:
        """Return the sort key of a set, the smallest first.

        Among equal sets, the one that leaves the others closest to each other wins; then the first devices.
        """
        apart = [self._near[a][b] for a, b in combinations(places, 2)]
        return (
            len({self._names[place] for place in places}),
            max(self._state[place] for place in places),
            sum(self._state[place][1] for place in places),
            max(apart, default=0.0),
            round(sum(apart), 6),
            -min(self._free[place] for place in places),
            max(self._use[place] for place in places),
            round(2 * sum(apart) - sum(self._from_all[place] for place in places), 6),
            places,
        )

    def grown(self, count: int) -> list[_Places]:
        """Return a good set for each device that is not in a better one."""
        found: dict[_Places, None] = {}
        for seed in range(self._count):
            if not any(seed in places for places in found):
                found[self._exchanged(self._grown_from(seed, count))] = None
        return list(found)

    def _grown_from(self, seed: int, count: int) -> _Places:
        places: _Places = (seed,)
        while len(places) < count:
            others = (other for other in range(self._count) if other not in places)
            places = min((tuple(sorted((*places, other))) for other in others), key=self.worth)
        return places

    def _exchanged(self, places: _Places) -> _Places:
        for _ in range(len(places)):
            others = [other for other in range(self._count) if other not in places]
            better = min(
                (
                    tuple(sorted((*places[:at], *places[at + 1 :], other)))
                    for at in range(len(places))
                    for other in others
                ),
                key=self.worth,
                default=places,
            )
            if self.worth(better) >= self.worth(places):
                return places
            places = better
        return places
