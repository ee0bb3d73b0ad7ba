"""Which DCUs a new process would be shown. DCUs run on a HIP runtime, and read its variables.

ROCR_VISIBLE_DEVICES   first: a comma list of DCU numbers
HIP_VISIBLE_DEVICES    then: a comma list of numbers among those; CUDA_VISIBLE_DEVICES counts where it is not set
Both are taken in the list's order, up to the first entry that is no DCU. Set and empty: no DCU. torch says cuda:0.

Source  the rules of HIP, which DTK is built from; that DTK keeps them all was not tried on a DCU. A list of UUIDs
        leaves visibility unknown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from accel.model.device import Device

OUTER_MASK: Final = "ROCR_VISIBLE_DEVICES"
MASKS: Final = ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")


def with_visibility(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set as the runtime reads its masks."""
    order = sorted(devices, key=lambda device: device.index)
    inner = next((variables[name] for name in MASKS if name in variables), None)
    for mask in (variables.get(OUTER_MASK), inner):
        if mask is not None and "-" in mask.replace("-1", ""):
            return tuple(devices)
        if mask is not None:
            order = [order[place] for place in runtime_ids(mask, len(order))]
    names = {device.id: f"cuda:{runtime}" for runtime, device in enumerate(order)}
    return tuple(
        replace(device, visible=device.id in names, runtime_names=(names[device.id],) if device.id in names else ())
        for device in devices
    )


def runtime_ids(mask: str, count: int) -> list[int]:
    """Return the DCUs that the runtime takes of a mask, on a machine of `count` DCUs.

    >>> runtime_ids("2,0", 4), runtime_ids("0,7,1", 4), runtime_ids("", 4)
    ([2, 0], [0], [])
    """
    chosen: list[int] = []
    for entry in mask.split(","):
        entry = entry.strip()
        if not (entry.isascii() and entry.isdigit()) or int(entry) >= count or int(entry) in chosen:
            break
        chosen.append(int(entry))
    return chosen
