"""The topology of one machine, and the questions that programs ask about it."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from accel.facts.device_names import device_named
from accel.model.dataclass import dataclass, field
from accel.model.device import Device, Gap
from accel.model.errors import BadInput, NoSuchDevice
from accel.model.snapshot import Host
from accel.model.wiring import Domain, NumaNode, PeerAccess, Wiring
from accel.specs.paths import PathWord, PathWords
from accel.text.spans import spanned
from accel.watch.topology.records import Allowed, End, Joint, Link, Member, Numa

if TYPE_CHECKING:
    from accel.specs import Specs


Named = str | int | Device
_ROOT_AND_PORT: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """How the devices and network cards of one machine are connected.

    Arguments name devices as in `accel.device` (an id, a UUID or its beginning, a PCI address, "cuda:0"), as an index
    into `devices` (0), or as a Device. Unknown names, devices of another machine and devices that are gone raise
    NoSuchDevice, which lists those that exist.

    members     devices, then network cards; a partition of a board is in the board's place, and not a member
    joints      each pair of members once, as reported by the sources
    words       the paths that occur, the closest first
    numa_nodes  with their CPUs
    domains     fabrics beyond this machine
    modules     which kernel modules for peer transfers are loaded; None: not read
    gaps        what could not be read, and why
    listed      the devices' records, including partitions
    wiring, peers   what the bus and the drivers report
    origin      "live", or the names of the files read
    """

    members: tuple[Member, ...] = ()
    joints: tuple[Joint, ...] = ()
    words: tuple[PathWord, ...] = ()
    numa_nodes: tuple[NumaNode, ...] = ()
    domains: tuple[Domain, ...] = ()
    modules: tuple[str, ...] | None = None
    gaps: tuple[Gap, ...] = ()
    listed: tuple[Device, ...] = field(default=(), repr=False)
    wiring: Wiring = field(default_factory=Wiring, repr=False)
    peers: tuple[PeerAccess, ...] = field(default=(), repr=False)
    host: Host = field(default_factory=Host, repr=False)
    origin: str = "live"
    specs: "Specs | None" = field(default=None, repr=False, compare=False)

    @property
    def devices(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.role == "device")

    @property
    def cards(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.role == "card")

    def link(self, a: Named, b: Named) -> Link:
        """Return how two devices, or a device and a network card ("mlx5_0"), are connected, in either order."""
        from accel.watch.topology.links import link_between

        one, other = self._ordered(a, b)
        return link_between(self.specs, self._joint(one, other), one, other)

    def fully_connected(self, ids: "Iterable[Named] | None" = None) -> bool | None:
        """Return whether dedicated links (NVLink, XGMI, HCCS …) connect every pair, directly or through a switch.

        ids   the devices; None: all whole ones. For one device or none it is True: there is no pair without a link
        None  it is unknown for a pair, and every other pair is connected; the pair's `link(a, b).reason` says why

        Partitions of a board have no such links, so it is False for them. PCIe does not count, whatever the switch.
        """
        from accel.watch.topology.links import link_between

        joints = {frozenset((joint.one, joint.other)): joint for joint in self.joints}
        ends = [self._end(device.id) for device in self.devices_named(ids)]
        found = {
            link_between(self.specs, joints.get(frozenset((one.member.id, other.member.id))), one, other).fabric
            for one, other in combinations(ends, 2)
        }
        return False if False in found else None if None in found else True

    def p2p(self, a: Named, b: Named) -> Allowed:
        """Return whether two devices can access each other's memory directly, and why or why not.

        This is the driver's answer if it was asked, unless it is known to be wrong; otherwise it follows from the
        limits of boards, partitions, machines and the bus: specs/system/peer_rules.yaml. Raises BadInput for a network
        card.
        """
        from accel.watch.topology.peers import Known, allowed

        one, other = self._ordered(a, b)
        for end in (one, other):
            if end.device is None:
                raise BadInput(f"{end.id} is a network card: p2p() is about two devices. Try  accel topology")
        joint = self._joint(one, other)
        known = Known(specs=self.specs, host=self.host, wiring=self.wiring, peers=self.peers)
        return allowed(known, joint, one, other)

    def nearest_nic(self, which: Named) -> tuple[str, ...] | None:
        """Return the RDMA network cards closest to a device, all of those at the same distance.

        Distance is on the bus: one switch, one root, one NUMA node. `cards` says whether a card's port is up.
        (): there is no such card; None: it is unknown where they or the device are attached.
        """
        member = self._end(which).member
        if member.role == "card":
            return (member.id,)
        return member.nearest or (None if self.cards or self.wiring.ports is None else ())

    def numa(self, which: Named) -> Numa:
        """Return the NUMA node of a device or card, and its CPUs.

        If a machine has only one node, that is the answer, whatever the firmware says.
        """
        member = self._end(which).member
        nodes = {node.index: node for node in self.numa_nodes}
        node = next(iter(nodes)) if len(nodes) == 1 else member.numa_node
        if node is None:
            where = f" of {member.pci_address}" if member.pci_address else ""
            told = any(one.address == member.pci_address for one in self.wiring.functions or ())
            why = f"the firmware does not tell the NUMA node{where}" if told else "no source reports the NUMA node"
            return Numa(reason=f"{member.id}: {why}")
        cpus = (nodes[node].cpus if node in nodes else None) or member.cpus
        if not cpus:
            return Numa(node=node, reason=f"no source reports the processors of node {node}")
        return Numa(node=node, cpus=tuple(sorted(spanned(cpus))))

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The devices grouped by the PCIe switch that they share; one that shares none is on its own.

        In the order of `devices`. A device is left out if its place on the bus is unknown.
        """

        return _switch_groups(self.members, self.joints, self.specs)

    def devices_named(self, ids: "Iterable[Named] | None" = None) -> tuple[Device, ...]:
        """Return the records of these devices, in order; None: of all whole ones. Raises as `link` does."""
        if ids is None:
            whole = {member.id for member in self.devices}
            return tuple(device for device in self.listed if device.id in whole)
        ends = [self._end(one) for one in ids]
        cards = [end.id for end in ends if end.device is None]
        if cards:
            raise BadInput(f"{', '.join(cards)}: a network card was passed instead of a device. Try  accel topology")
        return tuple(dict.fromkeys(end.device for end in ends if end.device is not None))

    def _ordered(self, a: Named, b: Named) -> tuple[End, End]:
        """Return both ends in the order of the topology: the answer does not depend on the order of the arguments."""
        ends = (self._end(a), self._end(b))
        places = {member.id: place for place, member in enumerate(self.members)}
        one, other = sorted(ends, key=lambda end: (places[end.member.id], end.id))
        return one, other

    def _joint(self, one: End, other: End) -> Joint | None:
        pair = {one.member.id, other.member.id}
        return next((joint for joint in self.joints if {joint.one, joint.other} == pair), None)

    def _end(self, which: Named) -> End:
        if isinstance(which, str) and any(which == card.id for card in self.cards):
            return End(id=which, member=self._member(which), device=None)
        device = self._device(which)
        member = self._member(_board(device, self.listed))
        parted = member.id != device.id or any(one.parent == device.id for one in self.listed)
        return End(id=device.id, member=member, device=device, parted=parted)

    def _member(self, name: str) -> Member:
        for member in self.members:
            if member.id == name:
                return member
        here = ", ".join(member.id for member in self.members) or "none"
        raise NoSuchDevice(f"{name!r} is not in this topology. Here are: {here}.")

    def _device(self, which: Any) -> Device:
        here = self._here
        if isinstance(which, int) and not isinstance(which, bool):
            if 0 <= which < len(self.devices):
                which = self.devices[which].id
            else:
                raise NoSuchDevice(f"No device {which} {here}: it has {len(self.devices)}.")
        if isinstance(which, Device):
            return _same(which, self.listed, here)
        if not isinstance(which, str):
            raise TypeError(f"{which!r:.60}: expected an id, a uuid, a PCI address, a number or a Device")
        return device_named(self.listed, which, here)

    @property
    def _here(self) -> str:
        return "on this machine" if self.origin == "live" else f"in {self.origin}"


def _board(device: Device, listed: Iterable[Device]) -> str:
    """Return the id of the device in whose place a device is: its own, or the board's for a partition."""
    return device.parent if device.parent is not None and any(one.id == device.parent for one in listed) else device.id


def _same(wanted: Device, listed: "tuple[Device, ...]", here: str) -> Device:
    """Return the device here that a record describes. Raises NoSuchDevice for one of another machine."""
    found = next((one for one in listed if one.id == wanted.id), None)
    if found is None:
        found = device_named(listed, wanted.uuid or wanted.id, here)
    for field_name in ("uuid", "serial", "pci_id"):
        mine, theirs = getattr(found, field_name), getattr(wanted, field_name)
        if mine is not None and theirs is not None and mine != theirs:
            raise NoSuchDevice(
                f"{wanted.id} ({theirs}) is not {here}, where {found.id} is {mine}: it belongs to another "
                "machine, or it has been replaced. List the devices again."
            )
    return found


def _switch_groups(
    members: Sequence[Member], joints: Sequence[Joint], specs: "Specs | None"
) -> tuple[tuple[str, ...], ...]:
    """Return the devices by switch: those below one root port, and those that a tool's matrix groups."""
    home = {member.id: member.id for member in members}

    def head(name: str) -> str:
        while home[name] != name:
            name = home[name]
        return name

    placed = {member.id for member in members if member.slot}
    for one, other in combinations([member for member in members if len(member.slot) >= _ROOT_AND_PORT], 2):
        if one.slot[:_ROOT_AND_PORT] == other.slot[:_ROOT_AND_PORT]:
            home[head(other.id)] = head(one.id)
    words = PathWords(specs) if specs is not None else None
    for joint in joints:
        meet = words.of(joint.bus_path).meet if words is not None and joint.bus_path is not None else None
        if meet is None:
            continue
        placed |= {joint.one, joint.other}
        if meet == "switch" and home.keys() >= {joint.one, joint.other}:
            home[head(joint.other)] = head(joint.one)
    found: dict[str, list[str]] = {}
    for member in [one for one in members if one.role == "device"]:
        if member.id in placed:
            found.setdefault(head(member.id), []).append(member.id)
    return tuple(map(tuple, found.values()))
