"""What KFD's topology says of one GPU node. Pure: the live backend and the reader of dumps share it.

/sys/class/kfd/kfd/topology/nodes/<n>/properties      "simd_count 256", one fact a line
                                     /gpu_id          "13261"; 0 for a node of processors
                                     /mem_banks/<m>/properties   "heap_type 1", "size_in_bytes 17163091968"
Before Linux 5.8 there are no gfx_target_version and no domain; unique_id is 0 for boards that have none.
Source  Linux drivers/gpu/drm/amd/amdkfd/kfd_topology.c
"""

from collections.abc import Mapping, Sequence
from typing import Final

from accel_amd.model import AmdDevice
from accel_amd.record import address_of_location, gpu, target_of_number, uuid_of

AMD: Final = 0x1002
_LOCAL: Final = (1, 2)  # heap types of device memory, hidden from the host and visible to it


def properties(text: str) -> dict[str, int]:
    """Return the facts of a properties file; lines of another form are left out."""
    found: dict[str, int] = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2 and words[1].isascii() and words[1].isdigit() and len(words[1]) <= 20:
            found.setdefault(words[0], int(words[1]))
    return found


def node_device(
    index: int, node: int, facts: Mapping[str, int], banks: Sequence[Mapping[str, int]], gpu_id: int | None
) -> AmdDevice | None:
    """Return the GPU of a node; None for a node of processors, of another vendor, or without its facts."""
    simds = facts.get("simd_count")
    if not simds or facts.get("vendor_id") != AMD:
        return None
    sizes = [bank["size_in_bytes"] for bank in banks if bank.get("heap_type") in _LOCAL and bank.get("size_in_bytes")]
    per_unit = facts.get("simd_per_cu")
    device_id = facts.get("device_id")
    unique_id = facts.get("unique_id") or None
    return gpu(
        index,
        None,
        target_of_number(facts.get("gfx_target_version", 0)),
        uuid=uuid_of(unique_id),
        unique_id=unique_id,
        pci_address=_address(facts),
        pci_id=f"1002:{device_id:04x}" if device_id else None,
        memory_total_bytes=sum(sizes) or facts.get("local_mem_size") or None,
        node_id=node,
        kfd_id=gpu_id or None,
        render_minor=facts.get("drm_render_minor") or None,
        hive_id=facts.get("hive_id"),
        compute_units=simds // per_unit if per_unit else None,
        xcc_count=facts.get("num_xcc") or None,
    )


def _address(facts: Mapping[str, int]) -> str | None:
    """Return the PCI address; None where the text ends before it would say the domain.

    The render node's number follows the domain, and stood there before kernels printed a domain at all.
    """
    if "domain" not in facts and "drm_render_minor" not in facts:
        return None
    return address_of_location(facts.get("location_id", 0), facts.get("domain", 0))
