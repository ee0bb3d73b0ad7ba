"""Which devices a new process would be shown.

MACA_VISIBLE_DEVICES, CUDA_VISIBLE_DEVICES   read by the MACA runtime: indices or uuids, in the list's order. Both
                            set and unlike: which of them counts is not documented, so nothing is said.
METAX_VISIBLE_DEVICES       read when a container is made: inside, the nodes are already as it says.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from accel.model.device import Device
from accel.toolkit.visibility import visible_by_list

RUNTIME_MASKS: Final = ("MACA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
RUNTIME_NAMES: Final = ("cuda",)


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set, as accel.toolkit.visibility reads such masks."""
    return visible_by_list(devices, variables, masks=RUNTIME_MASKS, names=RUNTIME_NAMES)
