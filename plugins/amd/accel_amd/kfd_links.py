"""Which GPUs are connected by xGMI in KFD's topology, and which can access each other's memory. Starts no process.

Reads   /sys/class/kfd/kfd/topology/nodes/<n>/io_links/<m>/properties   "type 11", "node_from 2", "node_to 3",
                                                                        "max_bandwidth 64000" (MB/s, 0: unknown)
                                             /p2p_links/<m>/properties  the same for each GPU reached over PCIe;
                                                                        Linux 6.0 on: older kernels lack the folder
Links of other types are PCIe or CPU links: the path between those GPUs is read from the PCI bus.
Source  Linux drivers/gpu/drm/amd/amdkfd: kfd_topology.c, kfd_crat.h (CRAT_IOLINK_TYPE_XGMI)
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

from accel.machine.files import file_text, names_in
from accel.model.device import Gap
from accel.model.wiring import Link, PeerAccess
from accel_amd.kfd import properties
from accel_amd.model import AmdDevice
from accel_amd.record import BACKEND
from accel_amd.sysfs import NODES

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_XGMI: Final = 11
_MOST_FILES: Final = 1024  # eight boards in eight partitions each have four times as many


class Joined(NamedTuple):
    """How GPUs are connected.

    links   each pair connected by xGMI, once
    linked  the IDs of the GPUs for which the driver lists links; () if there were more files than are read
    peers   for pairs of GPUs with PCIe links listed, whether the driver lets them access each other
    gaps    there were more files than are read
    """

    links: tuple[Link, ...] = ()
    linked: tuple[str, ...] = ()
    peers: tuple[PeerAccess, ...] = ()
    gaps: tuple[Gap, ...] = ()


def links(machine: "Machine", devices: Sequence[AmdDevice]) -> Joined:
    """Return how the GPUs are connected."""
    nodes = {device.node_id: device.id for device in devices if device.node_id is not None}
    found: dict[frozenset[str], Link] = {}
    over_pcie: set[frozenset[str]] = set()
    listing: list[str] = []
    asked: list[str] = []
    read = 0
    for node, device in nodes.items():
        for kind, told in (("io_links", listing), ("p2p_links", asked)):
            folder = f"{NODES}/{node}/{kind}"
            if machine.exists(folder):
                told.append(device)
            for name in names_in(machine, folder):
                if read >= _MOST_FILES:
                    reason = f"the links of the first {_MOST_FILES} pairs are read; rocm-smi --showtopotype  lists all"
                    gap = Gap(fact="links", reason=reason, backend=BACKEND, source="sysfs")
                    return Joined(links=tuple(found.values()), gaps=(gap,))
                read += 1
                facts = properties(file_text(machine, f"{folder}/{name}/properties") or "")
                ends = _ends(facts, nodes)
                if ends is None:
                    continue
                if kind == "p2p_links":
                    over_pcie.add(frozenset(ends))
                elif facts.get("type") == _XGMI:
                    found.setdefault(frozenset(ends), _link(facts, *ends))
    peers = tuple(_peers(asked, set(found), over_pcie))
    return Joined(links=tuple(found.values()), linked=tuple(listing), peers=peers)


def _peers(
    asked: Sequence[str], by_xgmi: "set[frozenset[str]]", over_pcie: "set[frozenset[str]]"
) -> Iterator[PeerAccess]:
    for one, other in combinations(asked, 2):
        pair = frozenset((one, other))
        says = "an xGMI link" if pair in by_xgmi else "a peer link over PCIe" if pair in over_pcie else None
        refused = "no peer link is listed: the board's memory is not open to the bus, or the kernel lacks HSA_AMD_P2P"
        yield PeerAccess(one=one, other=other, allowed=says is not None, says=says or refused)


def _ends(facts: "dict[str, int | None]", nodes: "dict[int, str]") -> tuple[str, str] | None:
    """Return the two GPUs of a link; None if either end is no GPU, or both are the same."""
    ends = [nodes.get(node) for key in ("node_from", "node_to") if (node := facts.get(key)) is not None]
    if len(ends) != 2 or ends[0] == ends[1] or ends[0] is None or ends[1] is None:
        return None
    return ends[0], ends[1]


def _link(facts: "dict[str, int | None]", one: str, other: str) -> Link:
    rate = facts.get("max_bandwidth")
    return Link(one=one, other=other, path="XGMI", bytes_per_second=rate * 1_000_000 if rate else None)
