"""Which GPUs CUDA shows to a new process, and how to show it chosen ones: see cuda_order and masking. Pure."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.model.device import Device
    from accel.vendors.contract.backend import Mask


def visible(devices: "Sequence[Device]", variables: Mapping[str, str]) -> "tuple[Device, ...]":
    """Return the devices with `visible` and `runtime_names` as the variables make them."""
    from accel.model.dataclass import replace
    from accel_nvidia.cuda_order import marks

    found = marks([device for device in devices if device.backend == "nvidia"], variables)
    return tuple(
        replace(device, visible=mark[0], runtime_names=mark[1]) if (mark := found.get(device.id)) else device
        for device in devices
    )


def mask(chosen: "Sequence[Device]", devices: "Sequence[Device]", variables: Mapping[str, str]) -> "Mask":
    """Return the variables that show only the chosen devices. Separate, so that listing devices need not load it."""
    from accel_nvidia import masking

    return masking.mask(chosen, devices, variables)
