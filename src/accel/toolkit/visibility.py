"""Which devices a new process would be shown, where the runtime reads a list of numbers or uuids as CUDA reads its own.

The list's order is that of the devices' new numbers; it ends before the first entry that names no device, and an entry
given twice makes it empty.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from accel.model.device import Device


def visible_by_list(
    devices: Sequence[Device], variables: Mapping[str, str], *, masks: Sequence[str], names: Sequence[str]
) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set; None where the mask cannot be followed.

    masks  the variables that hold the list: where several are set and unlike, nothing is said
    names  what programs call the devices: "cuda" of "cuda:0"; () if that is not known
    Unchanged where the devices are not the whole list: numbers then do not tell which is the first.
    """
    order = sorted(devices, key=lambda device: device.index)
    if [device.index for device in order] != list(range(len(order))):
        return tuple(devices)
    lists = {variables[name].strip() for name in masks if name in variables}
    shown = _chosen(lists.pop(), order) if len(lists) == 1 else None if lists else [d.id for d in order]
    return tuple(
        replace(
            device,
            visible=None if shown is None else device.id in shown,
            runtime_names=None if shown is None or not names else _names(device.id, shown, names),
        )
        for device in devices
    )


def _chosen(mask: str, order: Sequence[Device]) -> list[str] | None:
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


def _names(device: str, shown: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{name}:{shown.index(device)}" for name in names) if device in shown else ()
