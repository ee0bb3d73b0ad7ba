"""Which GPUs of a node NVLink connects, by how many links; and the fabric they share with other nodes. Pure.

Directly: the links from one to the other. Through NVSwitches, each GPU reaches every other with all of its links
that lead to a switch: the pair has the smaller number of the two. A link leads to a switch if the driver says so, if
several GPUs' links have the same other end, or if that end is unknown and the GPU is in a fabric.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from accel.model.device import Device
from accel.model.wiring import Domain, Link
from accel_nvidia.model import NvidiaDevice, NvLink


def nvlink_pairs(devices: Sequence[Device]) -> tuple[Link, ...]:
    """Return each pair of whole GPUs connected by NVLink, once: "NV18"."""
    gpus = [device for device in devices if isinstance(device, NvidiaDevice) and device.is_top_level]
    switches = _switches(gpus)
    through = {gpu.id: sum(_leads_to_switch(link, gpu, switches) for link in _up(gpu)) for gpu in gpus}
    found = []
    for one, other in combinations(gpus, 2):
        direct = max(_direct(one, other), _direct(other, one))
        count = direct or min(through[one.id], through[other.id])
        if count:
            rates = [link.speed_bytes_per_second for link in (*_up(one), *_up(other))]
            known = [rate for rate in rates if rate is not None]
            speed = min(known) * count if known else None
            found.append(Link(one=one.id, other=other.id, path=f"NV{count}", bytes_per_second=speed))
    return tuple(found)


def of_known_links(devices: Sequence[Device]) -> tuple[str, ...]:
    """Return the IDs of the whole GPUs for which the driver reported every link, so that they have no others."""
    return tuple(
        device.id
        for device in devices
        if isinstance(device, NvidiaDevice) and device.is_top_level and device.nvlinks is not None
    )


def fabrics(devices: Sequence[Device]) -> tuple[Domain, ...]:
    """Return the cliques of NVLink fabrics that extend beyond a node, as on NVL72."""
    cliques: dict[tuple[str, int | None], list[NvidiaDevice]] = {}
    for device in devices:
        if isinstance(device, NvidiaDevice) and device.is_top_level and device.fabric_cluster_uuid is not None:
            cliques.setdefault((device.fabric_cluster_uuid, device.fabric_clique_id), []).append(device)
    return tuple(
        Domain(
            kind="NVLink fabric",
            name=cluster,
            devices=tuple(device.id for device in members),
            details=(("clique", str(clique)),) if clique is not None else (),
        )
        for (cluster, clique), members in cliques.items()
    )


def _up(gpu: NvidiaDevice) -> list[NvLink]:
    return [link for link in gpu.nvlinks or () if link.active]


def _direct(one: NvidiaDevice, other: NvidiaDevice) -> int:
    address = other.pci_address
    return sum(link.remote_pci_address == address for link in _up(one)) if address is not None else 0


def _switches(gpus: Sequence[NvidiaDevice]) -> frozenset[str]:
    """Return the addresses at which links of several GPUs end, and no GPU is."""
    ends = Counter(
        address for gpu in gpus for address in {link.remote_pci_address for link in _up(gpu)} if address is not None
    )
    own = {gpu.pci_address for gpu in gpus}
    return frozenset(address for address, count in ends.items() if count > 1 and address not in own)


def _leads_to_switch(link: NvLink, gpu: NvidiaDevice, switches: frozenset[str]) -> bool:
    if link.to_switch is not None:
        return link.to_switch
    if link.remote_pci_address is not None:
        return link.remote_pci_address in switches
    return gpu.fabric_state == "completed"
