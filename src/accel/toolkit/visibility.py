"""Which devices a new process would be shown, where the runtime reads lists of numbers or uuids as CUDA reads its own.

The list's order is that of the devices' new numbers; it ends before the first entry that names no device, and an entry
given twice makes it empty.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from accel.contract.vendor import Masks
from accel.model.device import Device


def visible_by_masks(
    devices: Sequence[Device], variables: Mapping[str, str], masks: Masks | None
) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set; None where a mask cannot be followed.

    Unchanged where the devices are not the whole list: numbers then do not tell which is the first. A part of a device
    is left as it is: lists name whole ones.
    """
    whole = sorted((device for device in devices if device.parent is None), key=lambda device: device.index)
    if masks is None or [device.index for device in whole] != list(range(len(whole))):
        return tuple(devices)
    shown: list[Device] | None = whole
    for names in masks.lists:
        if shown is not None:
            shown = _left(shown, [variables[name].strip() for name in names if name in variables], masks.first_counts)
    order = None if shown is None else [device.id for device in shown]
    return tuple(device if device.parent else _shown(device, order, masks.names) for device in devices)


def _left(devices: list[Device], lists: Sequence[str], first_counts: bool) -> list[Device] | None:
    if not lists:
        return devices
    return _chosen(lists[0], devices) if first_counts or len(set(lists)) == 1 else None


def _shown(device: Device, order: Sequence[str] | None, names: Sequence[str]) -> Device:
    if order is None:
        return replace(device, visible=None, runtime_names=None)
    return replace(device, visible=device.id in order, runtime_names=_names(device.id, order, names) if names else None)


def _chosen(mask: str, order: Sequence[Device]) -> list[Device] | None:
    """Return the devices that a list names, in its order; None for an entry of a form not known."""
    taken: list[Device] = []
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
        if device in taken:
            return []
        taken.append(device)
    return taken


def _names(device: str, shown: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{name}:{shown.index(device)}" for name in names) if device in shown else ()
