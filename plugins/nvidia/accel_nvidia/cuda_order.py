"""The order in which CUDA numbers GPUs, the ones that a mask selects, and CUDA's names for them. Pure.

    CUDA_VISIBLE_DEVICES    unset: all. Else a list of indices or UUIDs (complete, or a unique prefix). The
                            list ends before the first entry that names no GPU; an entry given twice makes it empty.
    CUDA_DEVICE_ORDER       PCI_BUS_ID: by address. FASTEST_FIRST, the default: which of unlike boards is the faster one
                            is known to CUDA alone, so indices and names are then not known.

Source  CUDA C++ Programming Guide, "CUDA Environment Variables"; MIG User Guide, "CUDA_VISIBLE_DEVICES"
NVIDIA_VISIBLE_DEVICES is ignored: the container runtime reads it before the process begins.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.model.device import Device


def marks(
    ours: "Sequence[Device]", variables: Mapping[str, str]
) -> dict[str, tuple[bool | None, tuple[str, ...] | None]]:
    """Return `visible` and `runtime_names` of each GPU, by ID.

    A GPU in MIG mode is not itself visible: CUDA uses its first partition instead, or the partition requested by UUID;
    one process sees at most one partition.
    """
    order = cuda_order(ours, variables)
    mask = variables.get("CUDA_VISIBLE_DEVICES")
    shown = _all_of(ours, order) if mask is None else _chosen(ours, order, mask)
    numbered = mask is not None or order is not None  # a mask that could be applied defines the order
    return {device.id: _mark(device, shown, numbered) for device in ours}


def _mark(
    device: "Device", shown: "Sequence[Device] | None", ordered: bool
) -> tuple[bool | None, tuple[str, ...] | None]:
    """Return the facts of one device; shown is None if the mask holds indices in an order that only CUDA knows."""
    if shown is None:
        return None, None
    places = [place for place, other in enumerate(shown) if other.id == device.id]
    if not places:
        return False, ()
    return True, (f"cuda:{places[0]}",) if ordered else None


def cuda_order(devices: "Sequence[Device]", variables: Mapping[str, str]) -> "list[Device] | None":
    """Return the whole GPUs in CUDA's order before any mask; None if it cannot be known."""
    whole = [device for device in devices if device.parent is None]
    by_address = sorted(whole, key=lambda d: (d.pci_address is None, d.pci_address or "", d.index))
    if variables.get("CUDA_DEVICE_ORDER", "").strip().upper() == "PCI_BUS_ID":
        return (
            by_address if len(whole) < 2 or all(d.pci_address for d in whole) else sorted(whole, key=lambda d: d.index)
        )
    names = {device.name for device in whole}
    return by_address if len(whole) < 2 or (len(names) == 1 and None not in names) else None


def _partitions(devices: "Sequence[Device]", whole: "Device") -> "list[Device]":
    return sorted((d for d in devices if d.parent == whole.id), key=lambda d: d.index)


def mig_is_on(devices: "Sequence[Device]", whole: "Device") -> bool:
    return getattr(whole, "mig_mode", None) == "enabled" or bool(_partitions(devices, whole))


def _in_place_of(devices: "Sequence[Device]", whole: "Device") -> "Device | None":
    """Return the device CUDA uses for a GPU: itself or its first partition; None in MIG mode without one."""
    if not mig_is_on(devices, whole):
        return whole
    parts = _partitions(devices, whole)
    return parts[0] if parts else None


def _all_of(devices: "Sequence[Device]", order: "Sequence[Device] | None") -> "list[Device]":
    whole = order if order is not None else [d for d in devices if d.parent is None]
    taken = [d for w in whole if (d := _in_place_of(devices, w)) is not None]
    return _one_partition(taken)


def _one_partition(taken: "list[Device]") -> "list[Device]":
    """Return the whole GPUs; without any, the first partition: CUDA shows no other."""
    whole = [device for device in taken if device.parent is None]
    return whole or taken[:1]


def _chosen(devices: "Sequence[Device]", order: "Sequence[Device] | None", mask: str) -> "list[Device] | None":
    """Return the devices that a mask shows, in its order; None if that depends on an unknown order."""
    taken = named(devices, order, mask)
    if taken is None:
        return None
    return taken[:1] if taken and taken[0].parent is not None else [d for d in taken if d.parent is None]


def named(devices: "Sequence[Device]", order: "Sequence[Device] | None", mask: str) -> "list[Device] | None":
    """Return the devices and partitions that a mask selects, in its order, even several partitions."""
    taken: list[Device] = []
    for entry in mask.split(","):
        entry = entry.strip()
        if entry.startswith(("GPU-", "MIG-")):
            device = _by_uuid(devices, entry)
        else:
            found = re.match(r"[+]?(\d+)", entry)
            if found is None:
                break
            count = sum(d.parent is None for d in devices)
            if int(found[1]) >= count:
                break
            if order is None:
                return None
            device = order[int(found[1])]
        device = _in_place_of(devices, device) if device is not None and device.parent is None else device
        if device is None:
            break
        if any(other.id == device.id for other in taken):
            return []
        taken.append(device)
    return taken


def _by_uuid(devices: "Sequence[Device]", entry: str) -> "Device | None":
    """Return the device whose UUID starts so; None unless exactly one does. MIG-GPU-…/gi/ci is the older form."""
    found = [d for d in devices if d.uuid is not None and d.uuid.lower().startswith(entry.lower())]
    if found:
        return found[0] if len(found) == 1 else None
    old = re.fullmatch(r"MIG-(GPU-[0-9a-f-]+)/(\d+)/(\d+)", entry, re.IGNORECASE)
    if old is None:
        return None
    parents = {d.id for d in devices if d.uuid is not None and d.uuid.lower() == old[1].lower()}
    ids = (int(old[2]), int(old[3]))
    parts = [d for d in devices if d.parent in parents]
    return next((d for d in parts if (_fact(d, "gpu_instance_id"), _fact(d, "compute_instance_id")) == ids), None)


def _fact(device: "Device", name: str) -> object:
    return getattr(device, name, None)
