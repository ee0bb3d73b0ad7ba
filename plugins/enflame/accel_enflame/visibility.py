"""Which devices a new process would be shown.

TOPS_VISIBLE_DEVICES      read by the TopsRider runtime: indices, in the list's order; "DRS-<uuid>" names a part of a
                          device, which the tool's tables do not list: nothing is said then.
ENFLAME_VISIBLE_DEVICES   read when a container is made: inside, the nodes are already as it says.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from accel.model.device import Device
from accel.toolkit.visibility import visible_by_list

RUNTIME_MASKS: Final = ("TOPS_VISIBLE_DEVICES",)
RUNTIME_NAMES: Final = ("gcu",)


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set, as accel.toolkit.visibility reads such masks."""
    return visible_by_list(devices, variables, masks=RUNTIME_MASKS, names=RUNTIME_NAMES)
