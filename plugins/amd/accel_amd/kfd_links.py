"""Which GPUs KFD's topology joins by xGMI. Starts nothing.

Reads   /sys/class/kfd/kfd/topology/nodes/<n>/io_links/<m>/properties   "type 11", "node_from 2", "node_to 3",
                                                                        "max_bandwidth 64000" (MB/s, 0: not told)
Links of another type are PCIe or of the processors: what lies between those GPUs the PCI bus tells.
Source  Linux drivers/gpu/drm/amd/amdkfd: kfd_topology.c, kfd_crat.h (CRAT_IOLINK_TYPE_XGMI)
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text, names_in
from accel.model.device import Gap
from accel.model.wiring import Link
from accel_amd.kfd import properties
from accel_amd.model import AmdDevice
from accel_amd.record import BACKEND
from accel_amd.sysfs import NODES

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_XGMI: Final = 11
_MOST_FILES: Final = 1024  # eight boards in eight partitions each have four times as many


def links(machine: "Machine", devices: Sequence[AmdDevice]) -> tuple[tuple[Link, ...], tuple[Gap, ...]]:
    """Return each pair of the GPUs that xGMI joins, once; and a gap if there were more files than are read."""
    nodes = {device.node_id: device.id for device in devices if device.node_id is not None}
    found: dict[frozenset[str], Link] = {}
    read = 0
    for node in nodes:
        folder = f"{NODES}/{node}/io_links"
        for name in names_in(machine, folder):
            if read >= _MOST_FILES:
                reason = f"the links of the first {_MOST_FILES} pairs are read; rocm-smi --showtopotype  lists all"
                return tuple(found.values()), (Gap(fact="links", reason=reason, backend=BACKEND, source="sysfs"),)
            read += 1
            for link in _link(properties(file_text(machine, f"{folder}/{name}/properties") or ""), nodes):
                found.setdefault(frozenset((link.one, link.other)), link)
    return tuple(found.values()), ()


def _link(facts: "dict[str, int | None]", nodes: "dict[int, str]") -> Iterator[Link]:
    ends = [nodes.get(node) for key in ("node_from", "node_to") if (node := facts.get(key)) is not None]
    if facts.get("type") != _XGMI or len(ends) != 2 or ends[0] == ends[1]:
        return
    one, other = ends
    if one is not None and other is not None:
        rate = facts.get("max_bandwidth")
        yield Link(one=one, other=other, path="XGMI", bytes_per_second=rate * 1_000_000 if rate else None)
