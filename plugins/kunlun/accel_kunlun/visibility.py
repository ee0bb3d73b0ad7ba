"""Which devices a new process would be shown.

XPU_VISIBLE_DEVICES    read by the XPU runtime: indices, in the list's order.
CUDA_VISIBLE_DEVICES   read by the CUDA layer over it. Both set and unlike: which of them counts depends on the program,
                       so nothing is said.
CXPU_VISIBLE_DEVICES   read when a container is made: inside, the nodes are already as it says.
A device is "xpu:0" to Paddle, and "cuda:0" to PyTorch over the CUDA layer.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from accel.model.device import Device
from accel.toolkit.visibility import visible_by_list

RUNTIME_MASKS: Final = ("XPU_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
RUNTIME_NAMES: Final = ("xpu", "cuda")


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set, as accel.toolkit.visibility reads such masks."""
    return visible_by_list(devices, variables, masks=RUNTIME_MASKS, names=RUNTIME_NAMES)
