"""Which GPUs a new process would see. macOS has no mask: all of them. PyTorch calls Metal's preferred one "mps:0"."""

from collections.abc import Mapping, Sequence

from accel.model.dataclass import replace
from accel.model.device import Device
from accel.vendors.contract.backend import Mask
from accel.vendors.toolkit.masking import all_or_none


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices, all visible; with several, Metal chooses which is "mps:0", so that is unknown."""
    names = ("mps:0",) if len(devices) == 1 and getattr(devices[0], "metal_supported", None) else None
    return tuple(replace(device, visible=True, runtime_names=names) for device in devices)


def mask(chosen: Sequence[Device], devices: Sequence[Device], variables: Mapping[str, str]) -> Mask:
    """Return nothing to set if all GPUs are chosen."""
    return all_or_none(chosen, devices)
