"""The record of an Intel GPU."""

from accel.model.dataclass import dataclass, replace
from accel.model.device import Device

BACKEND = "intel"
VENDOR = "Intel"


@dataclass(frozen=True, slots=True, kw_only=True)
class IntelDevice(Device):
    """One Intel GPU, on a card or integrated.

    driver_name   its kernel driver: "i915" or "xe"
    tiles         dies that a program may address separately; with the FLAT hierarchy, SYCL counts them as devices
    device_path   "/dev/dri/renderD128"; node_accessible: whether this process may open it
    """

    driver_name: str | None = None
    firmware_version: str | None = None
    tiles: int | None = None
    execution_units: int | None = None
    device_path: str | None = None
    node_accessible: bool | None = None


def intel_gpu(index: int) -> IntelDevice:
    """Return an empty record with this index."""
    return IntelDevice(id=f"{BACKEND}:{index}", index=index, backend=BACKEND, vendor=VENDOR, kind="gpu")


def with_product(device: IntelDevice) -> IntelDevice:
    """Return the device with its architecture from the spec tables, and its name if only the PCI ID is known."""
    from accel.specs import load

    chip = load().chip(name=device.name, vendor="intel", pci_id=device.pci_id)
    if chip is None:
        return replace(device, architecture=_of_one_die(device) or device.architecture)
    if chip.kind != "gpu":
        return device
    return replace(device, name=device.name or chip.name, architecture=chip.architecture)


def _of_one_die(device: IntelDevice) -> str | None:
    """Return the architecture of a name that covers boards of one PCI ID with different memory: the Arc A770."""
    from accel.specs import load

    meant = load().find(device.name, "intel") if device.name else ()
    shared = set.intersection(*(set(chip.pci_ids or ()) for chip in meant)) if meant else set()
    wanted = {device.pci_id} if device.pci_id else shared
    names = {(chip.kind, chip.architecture) for chip in meant}
    discrete = all(chip.memory_bytes for chip in meant)
    kind, architecture = names.pop() if len(names) == 1 else (None, None)
    return architecture if kind == "gpu" and discrete and shared & wanted else None
