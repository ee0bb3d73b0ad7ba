"""Which devices a new process would be shown.

XPU_VISIBLE_DEVICES    read by the XPU runtime: indices, in the list's order.
CUDA_VISIBLE_DEVICES   read by the CUDA layer over it. Both set and unlike: which of them counts depends on the program,
                       so nothing is said.
CXPU_VISIBLE_DEVICES   read when a container is made: inside, the nodes are already as it says.
A device is "xpu:0" to Paddle, and "cuda:0" to PyTorch over the CUDA layer.

A list is read as CUDA reads its own: it ends before the first entry that names no device, and an entry given twice
makes it empty.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from accel.model.device import Device

RUNTIME_MASKS: Final = ("XPU_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
RUNTIME_NAMES: Final = ("xpu", "cuda")


def visible(devices: Sequence[Device], variables: Mapping[str, str]) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set; None where the mask cannot be followed.

    Unchanged where the devices are not the whole list: numbers then do not tell which is the first.
    """
    order = sorted(devices, key=lambda device: device.index)
    if [device.index for device in order] != list(range(len(order))):
        return tuple(devices)
    masks = {variables[name].strip() for name in RUNTIME_MASKS if name in variables}
    shown = chosen(masks.pop(), order) if len(masks) == 1 else None if masks else [d.id for d in order]
    return tuple(
        replace(
            device,
            visible=None if shown is None else device.id in shown,
            runtime_names=None if shown is None else _names(device.id, shown),
        )
        for device in devices
    )


def chosen(mask: str, order: Sequence[Device]) -> list[str] | None:
    """Return the ids of the devices that a list names, in its order; None for an entry of a form not known."""
    taken: list[str] = []
    for entry in (part.strip() for part in mask.split(",")):
        if entry.isascii() and entry.isdigit() and len(entry) < 6:
            device = order[int(entry)] if int(entry) < len(order) else None
        elif entry in ("", "-1"):
            device = None
        else:
            device = next((d for d in order if d.uuid is not None and d.uuid.lower() == entry.lower()), None)
            if device is None:
                return None
        if device is None:
            break
        if device.id in taken:
            return []
        taken.append(device.id)
    return taken


def _names(device: str, shown: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{name}:{shown.index(device)}" for name in RUNTIME_NAMES) if device in shown else ()
