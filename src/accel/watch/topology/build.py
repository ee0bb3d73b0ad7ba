"""The topology of a snapshot. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final

from accel.facts.wiring import by_address, hops, narrowest, path_between
from accel.model.dataclass import replace
from accel.model.device import Device, Gap
from accel.model.wiring import Domain, Link, NetworkPort, PciFunction, Wiring
from accel.specs.paths import PathWords
from accel.watch.topology.records import Joint, Member
from accel.watch.topology.whole import Topology

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_MOST_MEMBERS: Final = 128  # a larger matrix is unreadable; the rest is counted
_SYSFS: Final = "sysfs"
_Told = Mapping[frozenset[str], Sequence[tuple[Link, str]]]


def topology(facts: "Facts", specs: "Specs", only: Sequence[Device] | None = None) -> Topology:
    """Return how the devices and network cards are connected. only: these devices, in this order; None: all."""
    wiring = facts.snapshot.wiring or Wiring()
    known = by_address(wiring)
    reports = sorted(facts.snapshot.reports, key=lambda report: -report.trust)
    links = [(link, report.source) for report in reports for link in report.links]
    cards = sorted(_cards(wiring, known, links, {d.id for d in facts.devices}), key=lambda card: card.pci_address or "")
    whole = _whole(facts.accelerators if only is None else only, facts.accelerators)
    every = [*(_device(device, known) for device in whole), *cards]
    members, gaps = every[:_MOST_MEMBERS], list(_gaps(facts, wiring))
    if len(every) > _MOST_MEMBERS:
        reason = f"{len(every)} devices and cards; the first {_MOST_MEMBERS} are shown"
        gaps.append(Gap(fact="topology", reason=reason))
    words = PathWords(specs)
    linked = [frozenset(report.linked) for report in reports if report.linked]
    bus = _Bus(known, len(wiring.numa_nodes), live=facts.live)
    joints = tuple(_joints(members, _by_pair(links), linked, bus, words))
    told = {joint.path for joint in joints if joint.path is not None}
    return Topology(
        members=tuple(_with_nearest(members, joints)),
        joints=joints,
        words=tuple(sorted((words.of(path) for path in told), key=lambda word: (word.rank, word.word))),
        numa_nodes=wiring.numa_nodes,
        domains=tuple(_domains(reports)),
        modules=wiring.modules,
        gaps=tuple(gaps),
        listed=facts.accelerators if only is None else tuple(d for d in facts.accelerators if _is_of(d, only)),
        wiring=wiring,
        peers=tuple(peer for report in reports for peer in report.peers),
        host=facts.host,
        origin=facts.snapshot.origin,
        specs=specs,
    )


def _whole(wanted: Sequence[Device], listed: Sequence[Device]) -> tuple[Device, ...]:
    """Return the devices in whose places these are, each once: a partition is in its board's place."""
    by_id = {device.id: device for device in listed}
    found = (by_id.get(device.parent or "", device) for device in wanted)
    return tuple(dict.fromkeys(device for device in found if device.is_top_level))


def _is_of(device: Device, wanted: Sequence[Device]) -> bool:
    return any(one.id in (device.id, device.parent) or one.parent == device.id for one in wanted)


def _device(device: Device, known: Mapping[str, PciFunction]) -> Member:
    address = device.pci_address
    if address is not None and address not in known and device.is_partition:
        board = f"{address.rpartition('.')[0]}.0"  # of a function that only the driver knows: its board's
        address = board if board in known else address
    member = Member(id=device.id, role="device", name=device.name, pci_address=address, numa_node=device.numa_node)
    function = known.get(address or "")
    return member if function is None else _placed(member, function, known)


def _cards(
    wiring: Wiring, known: Mapping[str, PciFunction], links: Iterable[tuple[Link, str]], devices: set[str]
) -> Iterator[Member]:
    """Yield the network cards: those that the kernel lists, and those that only a tool's matrix names."""
    ports: dict[str, list[NetworkPort]] = {}
    for port in wiring.ports or ():
        ports.setdefault(port.card, []).append(port)
    named = [name for link, _ in links for name in (link.one, link.other) if name not in devices and ":" not in name]
    for card in dict.fromkeys((*ports, *named)):
        own = tuple(ports.get(card, ()))
        address = own[0].pci_address if own else None
        member = Member(id=card, role="card", name=own[0].model if own else None, pci_address=address, ports=own)
        function = known.get(address or "")
        yield member if function is None else _placed(member, function, known)


def _placed(member: Member, function: PciFunction, known: Mapping[str, PciFunction]) -> Member:
    links = hops(function, known)
    return replace(
        member,
        numa_node=member.numa_node if function.numa_node is None else function.numa_node,
        cpus=function.cpus,
        hops=links,
        narrowest=narrowest(links),
        slot=(function.host_bridge, *(function.above or ())[:2]) if function.host_bridge else (),
    )


def _by_pair(links: Iterable[tuple[Link, str]]) -> _Told:
    found: dict[frozenset[str], list[tuple[Link, str]]] = {}
    for link, source in links:
        found.setdefault(frozenset((link.one, link.other)), []).append((link, source))
    return found


def _joints(
    members: Sequence[Member], told: _Told, linked: Sequence[frozenset[str]], bus: "_Bus", words: PathWords
) -> Iterator[Joint]:
    for one, other in combinations(members, 2):
        pair = frozenset((one.id, other.id))
        said = [(words.of(link.path), link, source) for link, source in told.get(pair, ())]
        fabric = next((each for each in said if each[0].kind == "fabric"), None)
        over = next((each for each in said if each[0].kind == "bus"), None)
        path, reason = bus.between(one, other)
        apart = over is not None or any(pair <= ids for ids in linked) or _are_of_two_makers(one, other)
        joint = Joint(
            one=one.id,
            other=other.id,
            bus_path=path or (over[1].path if over is not None else None),
            fabric=True if fabric is not None else False if apart else None,
        )
        if fabric is None and path is not None:
            word = words.of(path)
            yield replace(joint, path=path, kind=word.kind, rank=word.rank, source=_SYSFS)
            continue
        best = fabric or over
        if best is None:
            yield replace(joint, reason=reason)
            continue
        word, link, source = best
        rate = link.bytes_per_second
        yield replace(joint, path=link.path, kind=word.kind, rank=word.rank, bytes_per_second=rate, source=source)


def _are_of_two_makers(one: Member, other: Member) -> bool:
    """Return whether they are of two vendors, or one is a network card: dedicated links join one vendor's devices."""
    return one.role == "card" or other.role == "card" or one.id.partition(":")[0] != other.id.partition(":")[0]


class _Bus:
    """What lies between two members on the PCI bus."""

    def __init__(self, known: Mapping[str, PciFunction], nodes: int, *, live: bool) -> None:
        self._known, self._nodes, self._live = known, nodes, live

    def between(self, one: Member, other: Member) -> tuple[str | None, str | None]:
        """Return the word for it; or None, and why it is unknown."""
        known = self._known
        for member in (one, other):
            if member.pci_address is None:
                return None, f"no source reports the PCI address of {member.id}"
            if member.pci_address not in known:
                where = (
                    ("the kernel has no such PCI function here") if self._live else "the text does not show the PCI bus"
                )
                return None, f"{member.id} at {member.pci_address}: {where}"
        return path_between(known[one.pci_address or ""], known[other.pci_address or ""], self._nodes)


def _with_nearest(members: Sequence[Member], joints: Sequence[Joint]) -> Iterator[Member]:
    """Yield the members, each device with its closest network cards."""
    cards = {member.id for member in members if member.role == "card"}
    ways: dict[str, list[tuple[int, str]]] = {}
    for joint in joints:
        for device, card in ((joint.one, joint.other), (joint.other, joint.one)):
            if card in cards and device not in cards and joint.path is not None:
                ways.setdefault(device, []).append((joint.rank, card))
    for member in members:
        near = ways.get(member.id, [])
        least = min((rank for rank, _ in near), default=0)
        yield replace(member, nearest=tuple(card for rank, card in near if rank == least))


def _domains(reports: "Iterable[object]") -> Iterator[Domain]:
    seen: set[tuple[str, str | None]] = set()
    for report in reports:
        for domain in getattr(report, "domains", ()):
            if (domain.kind, domain.name) not in seen:
                seen.add((domain.kind, domain.name))
                yield domain


def _gaps(facts: "Facts", wiring: Wiring) -> Iterator[Gap]:
    yield from wiring.gaps
    yield from (gap for gap in facts.gaps if gap.fact.endswith("links") or " topo" in gap.fact or gap.fact == "peers")
    if facts.live and facts.host.virtualization not in (None, "none", "wsl"):
        yield Gap(fact="paths", reason="this is a virtual machine: its PCI bus is as the hypervisor shows it")
