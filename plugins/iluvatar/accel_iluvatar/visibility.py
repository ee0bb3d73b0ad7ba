"""Which devices a new process would be shown.

CUDA_VISIBLE_DEVICES             read by the CoreX runtime: indices or uuids, in the list's order.
ILUVATAR_COREX_VISIBLE_DEVICES   uuids, read when a container is made: inside, the nodes are already as it says.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from accel.model.device import Device
from accel.toolkit.visibility import visible_by_list

RUNTIME_MASKS: Final = ("CUDA_VISIBLE_DEVICES",)
RUNTIME_NAMES: Final = ("cuda",)


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set, as accel.toolkit.visibility reads such masks."""
    return visible_by_list(devices, variables, masks=RUNTIME_MASKS, names=RUNTIME_NAMES)
