"""One GPU node in KFD's topology. Pure: shared by the live backend and the reader of dumps.

/sys/class/kfd/kfd/topology/nodes/<n>/properties      "simd_count 256", one fact a line
                                     /gpu_id          "13261"; 0 for a node of processors
                                     /mem_banks/<m>/properties   "heap_type 1", "size_in_bytes 17163091968"
Before Linux 5.8 there are no gfx_target_version and no domain; unique_id is 0 for boards without one.
Source  Linux drivers/gpu/drm/amd/amdkfd/kfd_topology.c
"""

from collections.abc import Mapping, Sequence
from typing import Final

from accel_amd.model import AmdDevice
from accel_amd.record import address_of_location, gpu, target_of_number, uuid_of

AMD: Final = 0x1002
_LOCAL: Final = (1, 2)  # heap types of device memory, hidden from the host and visible to it
_DIGITS: Final = 20  # of the largest 64-bit number; unique_id is one, drawn over the whole range


def properties(text: str) -> dict[str, int | None]:
    """Return the facts of a properties file; None for a value that cannot be read."""
    found: dict[str, int | None] = {}
    for line in text.splitlines():
        words = line.split()
        if words and len(words) <= 2:
            value = words[-1] if len(words) == 2 else ""
            known = value.isascii() and value.isdecimal() and len(value) <= _DIGITS
            found.setdefault(words[0], int(value) if known else None)
    return found


def node_device(
    index: int,
    node: int,
    facts: Mapping[str, int | None],
    banks: Sequence[Mapping[str, int | None]],
    gpu_id: int | None,
) -> AmdDevice | None:
    """Return the GPU of a node; None for a CPU node, another vendor's, or one without its facts."""
    simds = facts.get("simd_count")
    if not simds or facts.get("vendor_id") != AMD:
        return None
    sizes = [bank.get("size_in_bytes") for bank in banks if bank.get("heap_type", 0) in (*_LOCAL, None)]
    known = [size for size in sizes if size is not None]
    per_unit = facts.get("simd_per_cu")
    units = simds // per_unit if per_unit else None
    device_id = facts.get("device_id")
    unique_id = facts.get("unique_id") or None
    return gpu(
        index,
        None,
        target_of_number(facts.get("gfx_target_version") or 0),
        uuid=uuid_of(unique_id),
        unique_id=unique_id,
        pci_address=_address(facts),
        pci_id=f"1002:{device_id:04x}" if device_id else None,
        memory_total_bytes=(sum(known) if len(known) == len(sizes) else None) or facts.get("local_mem_size") or None,
        node_id=node,
        kfd_id=gpu_id or None,
        render_minor=facts.get("drm_render_minor") or None,
        hive_id=facts.get("hive_id"),
        compute_units=units,
        multiprocessors=units,
        xcc_count=facts.get("num_xcc") or None,
    )


def is_unread(facts: Mapping[str, int | None]) -> bool:
    """Return whether a node may be an AMD GPU although the files that would show it are unreadable."""
    kind, vendor = facts.get("simd_count", 0), facts.get("vendor_id", 0)
    return None in (kind, vendor) and kind != 0 and vendor in (AMD, None)


def _address(facts: Mapping[str, int | None]) -> str | None:
    """Return the PCI address; None if the text ends before the domain.

    The render node's number follows the domain, and took its place before kernels printed a domain.
    """
    domain = facts.get("domain", 0)
    if domain is None or ("domain" not in facts and "drm_render_minor" not in facts):
        return None
    return address_of_location(facts.get("location_id") or 0, domain)
