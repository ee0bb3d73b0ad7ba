"""Questions about the wiring: the links between a device and the root, the narrowest one, the path between two devices.

PIX    at most one PCIe switch between them        PXB    several switches, below one port of the root
PHB    they meet at the root                       NODE   at different roots of one NUMA node
SYS    on different NUMA nodes
NVIDIA's tools use these names, and other vendors' tools followed (specs/system/paths.yaml).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from accel.model.dataclass import dataclass
from accel.model.wiring import PciFunction, Wiring

if TYPE_CHECKING:
    from accel.facts.questions import Facts

_Amount = TypeVar("_Amount", int, float)
_CODED: Final = 8.0  # GT/s from which 128 of 130 bits are data; below it 8 of 10
_FLIT: Final = 64.0  # GT/s from which 236 of 256 bytes are
_BITS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """One PCIe link between a port and what is below it, with its current and maximum state.

    port, below      addresses; the port's end is nearer to the root
    bytes_per_second payload rate in one direction
    """

    port: str
    below: str
    speed_gts: float | None = None
    width: int | None = None
    speed_maximum_gts: float | None = None
    width_maximum: int | None = None

    @property
    def bytes_per_second(self) -> float | None:
        return bytes_per_second(self.speed_gts, self.width)


def bytes_per_second(speed_gts: float | None, width: int | None) -> float | None:
    """Return a link's payload rate in one direction.

    >>> f"{bytes_per_second(16.0, 16):.3g}", bytes_per_second(5.0, 4), bytes_per_second(None, 16)
    ('3.15e+10', 2000000000.0, None)
    """
    if speed_gts is None or width is None:
        return None
    share = 236 / 256 if speed_gts >= _FLIT else 128 / 130 if speed_gts >= _CODED else 0.8
    return speed_gts * 1e9 * width * share / _BITS


def by_address(wiring: Wiring | None) -> Mapping[str, PciFunction]:
    """Return the functions by their addresses."""
    return {one.address: one for one in (wiring.functions or () if wiring is not None else ())}


def hops(function: PciFunction, known: Mapping[str, PciFunction]) -> tuple[Hop, ...]:
    """Return the links between the root and a function, starting at the root; () if unknown.

    Every second step from the root is a link; the others are inside a switch.
    """
    chain = [*(known.get(address) for address in function.above or ()), function]
    found = []
    for place in range(0, len(chain) - 1, 2):
        upper, lower = chain[place], chain[place + 1]
        if upper is None or lower is None:
            continue
        found.append(
            Hop(
                port=upper.address,
                below=lower.address,
                speed_gts=_agreed(upper.speed_gts, lower.speed_gts),
                width=_agreed(upper.width, lower.width),
                speed_maximum_gts=_least(upper.speed_maximum_gts, lower.speed_maximum_gts),
                width_maximum=_least(upper.width_maximum, lower.width_maximum),
            )
        )
    return tuple(found)


def narrowest(links: Sequence[Hop]) -> Hop | None:
    """Return the link with the lowest current rate, among equals the one nearest the root; None if any is unknown."""
    rates = [link.bytes_per_second for link in links]
    if not rates or None in rates:
        return None
    return min(zip(rates, links, strict=True), key=lambda pair: pair[0] or 0.0)[1]


def path_between(one: PciFunction, other: PciFunction, nodes: int) -> tuple[str | None, str | None]:
    """Return the name of the path between two functions; or None, and why it is unknown.

    nodes  number of NUMA nodes of the machine
    """
    if one.above is None or other.above is None:
        missing = one if one.above is None else other
        return None, f"the bus does not show where {missing.address} hangs"
    if one.host_bridge == other.host_bridge:
        shared = _shared(one.above, other.above)
        if shared:
            further = max(len(one.above), len(other.above)) - shared
            return ("PIX" if further <= 1 else "PXB"), None
        return ("PIX" if _slot(one) == _slot(other) else "PHB"), None
    if nodes <= 1 and (one.numa_node is None or other.numa_node is None):
        return ("NODE", None) if nodes else (None, "the kernel shows no NUMA nodes")
    if one.numa_node is None or other.numa_node is None:
        missing = one if one.numa_node is None else other
        return None, f"the firmware does not tell the NUMA node of {missing.address}"
    return ("NODE" if one.numa_node == other.numa_node else "SYS"), None


def ports_between(one: PciFunction, other: PciFunction) -> tuple[str, ...]:
    """Return the ports below the shared switch of two functions that a transfer between them passes.

    () if they share no switch: their transfers go through the root anyway.
    """
    if one.above is None or other.above is None or one.host_bridge != other.host_bridge:
        return ()
    shared = _shared(one.above, other.above)
    return (*one.above[shared:], *other.above[shared:]) if shared else ()


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _slot(function: PciFunction) -> str:
    return function.address.rpartition(".")[0]


def _agreed(upper: _Amount | None, lower: _Amount | None) -> _Amount | None:
    """Return the value that both ends of a link report; None if they differ, since they are then not one link."""
    if upper is None or lower is None:
        return lower if upper is None else upper
    return upper if upper == lower else None


def _least(upper: _Amount | None, lower: _Amount | None) -> _Amount | None:
    known = [value for value in (upper, lower) if value is not None]
    return min(known) if len(known) == 2 else None


def worn(facts: "Facts") -> Mapping[Hop, tuple[PciFunction, ...]]:
    """Return the links with fewer lanes or, between two ports, a lower speed than both their ends support.

    Each with the accelerators and cards below it. None in a virtual machine, whose bus is the hypervisor's. A device's
    own link may be slow to save power, as may all links above a sleeping device.
    """
    if facts.host.virtualization not in (None, "none"):
        return {}
    known = by_address(facts.snapshot.wiring)
    found: dict[Hop, list[PciFunction]] = {}
    for function in known.values():
        if function.role == "port":
            continue
        for hop in hops(function, known):
            own = hop.below == function.address
            if _is_less(hop.width, hop.width_maximum) or (
                not own and not function.asleep and _is_less(hop.speed_gts, hop.speed_maximum_gts)
            ):
                found.setdefault(hop, []).append(function)
    return {hop: tuple(below) for hop, below in found.items()}


def _is_less(now: float | None, best: float | None) -> bool:
    return now is not None and best is not None and 0 < now < best


def device_ids(facts: "Facts", functions: Iterable[PciFunction]) -> tuple[str, ...]:
    """Return the ids of the devices among functions."""
    devices = {device.pci_address: device.id for device in facts.accelerators if device.is_top_level}
    return tuple(devices[one.address] for one in functions if one.address in devices)


def named(facts: "Facts", functions: Iterable[PciFunction]) -> tuple[str, ...]:
    """Return the common names of functions: a device's ID, a card's name, else the address."""
    devices = {device.pci_address: device.id for device in facts.accelerators if device.is_top_level}
    wiring = facts.snapshot.wiring
    cards = {port.pci_address: port.card for port in (wiring.ports or () if wiring is not None else ())}
    return tuple(devices.get(one.address) or cards.get(one.address) or one.address for one in functions)
