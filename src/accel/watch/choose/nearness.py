"""How close two devices are: by their own links, by the PCI bus, or only by their NUMA nodes. Pure.

Each kind of connection has a name in vendors' tools ("NV18", "PIX", "SYS"), and a rank across all vendors:
specs/system/paths.yaml. If several connections between two devices are known, the closest counts.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from accel.facts.wiring import by_address, path_between
from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.wiring import Link, Wiring

_NUMBER: Final = re.compile(r"\d{1,4}")
_FURTHEST: Final = 9.0  # no rank of the table is higher


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How two devices are connected. rank: the lower the closer; means: for people."""

    rank: float
    means: str


NOT_KNOWN: Final = Way(rank=_FURTHEST, means="how they are joined is not known")
Near = Callable[[Device, Device], Way]


def nearness(paths: Any, wiring: Wiring | None = None, links: Iterable[Link] = ()) -> Near:
    """Return a function that returns how two devices are connected.

    paths  the table system/paths of the specs
    """
    words = {row["word"]: row for row in paths["paths"]}
    told: dict[frozenset[str], Way] = {}
    for link in links:
        way, pair = _way(link.path, words), frozenset((link.one, link.other))
        if way.rank < told.get(pair, NOT_KNOWN).rank:
            told[pair] = way
    known = by_address(wiring)
    nodes = len(wiring.numa_nodes) if wiring is not None else 0

    def near(one: Device, other: Device) -> Way:
        ways = [told.get(frozenset((one.id, other.id)), NOT_KNOWN)]
        first, second = (known.get(device.pci_address or "") for device in (one, other))
        path: str | None = None
        if first is not None and second is not None and first is not second:
            path, _ = path_between(first, second, nodes)
        elif one.numa_node is not None and other.numa_node is not None:
            path = "NODE" if one.numa_node == other.numa_node else "SYS"
        if path is not None:
            ways.append(_way(path, words))
        return min(ways, key=lambda way: way.rank)

    return near


def furthest(devices: Sequence[Device], near: Near) -> Way:
    """Return how the two most distant of several devices are connected."""
    return max((near(one, other) for one in devices for other in devices if one is not other), key=lambda way: way.rank)


def _way(word: str, words: Mapping[str, Any]) -> Way:
    """Return the meaning of a word in a tool's matrix; of "NV18" and "NV4", the one with more links is closer."""
    number = _NUMBER.search(word)
    row = words.get(word) or words.get(_NUMBER.sub("#", word))
    if row is None or row["kind"] == "unknown":
        return NOT_KNOWN
    more = min(int(number[0]), 999) / 1000 if number else 0.0
    return Way(rank=row["rank"] - more, means=f"{word}: {row['means']}")
