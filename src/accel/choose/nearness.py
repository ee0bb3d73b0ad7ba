"""How near two devices are, as far as it is known: by the PCI bus, or by their NUMA nodes alone. Pure."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from accel.facts.wiring import by_address, path_between
from accel.model.device import Device

if TYPE_CHECKING:
    from accel.model.wiring import Wiring

Nearness = int  # the place of one of these words, the nearest first
Near = Callable[[Device, Device], Nearness]

_LINKED: Final = "joined by links of their own"
_PATHS: Final = {
    "PIX": "below one PCIe switch",
    "PXB": "below PCIe switches of one root port",
    "PHB": "below one PCIe host bridge",
    "NODE": "on one NUMA node",
    "SYS": "on different NUMA nodes",
}
WORDS: Final = (_LINKED, *_PATHS.values(), "how near they are is not known")
NOT_KNOWN: Final = len(WORDS) - 1
_RANKS: Final = {path: place for place, path in enumerate(_PATHS, 1)}


def nearness(wiring: "Wiring | None") -> Near:
    """Return the function that tells how near two devices are."""
    known = by_address(wiring)
    nodes = len(wiring.numa_nodes) if wiring is not None else 0

    def near(one: Device, other: Device) -> Nearness:
        first, second = (known.get(device.pci_address or "") for device in (one, other))
        if first is not None and second is not None and first is not second:
            path, _ = path_between(first, second, nodes)
            if path is not None:
                return _RANKS.get(path, NOT_KNOWN)
        return by_numa_node(one, other)

    return near


def by_numa_node(one: Device, other: Device) -> Nearness:
    """Return what the NUMA nodes alone tell."""
    if one.numa_node is None or other.numa_node is None:
        return NOT_KNOWN
    return _RANKS["NODE" if one.numa_node == other.numa_node else "SYS"]


def furthest(devices: Sequence[Device], near: Near) -> str:
    """Return how near those two of the devices are that are least near, in words."""
    return WORDS[max(near(one, other) for one in devices for other in devices if one is not other)]
