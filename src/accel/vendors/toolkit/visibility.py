"""Which devices a new process would see, for runtimes that parse lists of indices or UUIDs like CUDA.

The order of the list is the order of the new ordinals. The list ends before the first entry that names no device, and
an entry given twice makes it empty. `chosen` and `shown` are for runtimes that differ in details.
"""

from collections.abc import Mapping, Sequence

from accel.model.dataclass import replace
from accel.model.device import Device
from accel.vendors.contract.vendor import Masks


def visible_by_masks(
    devices: Sequence[Device], variables: Mapping[str, str], masks: Masks | None
) -> tuple[Device, ...]:
    """Return the devices with `visible` and `runtime_names` set; None if a mask cannot be interpreted.

    They are unchanged if the devices are not the complete list, because indices are then ambiguous. Partitions are left
    as they are, because lists name whole devices.
    """
    whole = sorted((device for device in devices if device.is_top_level), key=lambda device: device.index)
    if masks is None or [device.index for device in whole] != list(range(len(whole))):
        return tuple(devices)
    left: list[Device] | None = whole
    for names in masks.lists:
        if left is not None:
            left = left_by(left, [variables[name].strip() for name in names if name in variables], masks.first_counts)
    return tuple(shown(device, left, masks.names) if device.is_top_level else device for device in devices)


def left_by(devices: list[Device], lists: Sequence[str], first_counts: bool) -> list[Device] | None:
    """Return the devices that one list's variables leave; None if that is unknown."""
    if not lists:
        return devices
    return chosen(lists[0], devices) if first_counts or len(set(lists)) == 1 else None


def shown(device: Device, order: Sequence[Device] | None, names: Sequence[str]) -> Device:
    """Return the device as a new process sees it. order: the visible devices; None if unknown.

    names  what programs call the devices: "cuda" of "cuda:0"; () if unknown
    """
    if order is None:
        return replace(device, visible=None, runtime_names=None)
    places = [place for place, other in enumerate(order) if other.id == device.id]
    if not places:
        return replace(device, visible=False, runtime_names=())
    return replace(device, visible=True, runtime_names=tuple(f"{name}:{places[0]}" for name in names) or None)


def chosen(mask: str, order: Sequence[Device], *, strict: bool = True) -> list[Device] | None:
    """Return the devices that a list names, in its order; None if an entry has an unknown form.

    strict  an entry given twice makes the list empty; otherwise it counts once, and any entry that names no device ends
            the list
    """
    taken: list[Device] = []
    for entry in (part.strip() for part in mask.split(",")):
        if entry.isascii() and entry.isdecimal() and len(entry) < 6:
            device = order[int(entry)] if int(entry) < len(order) else None
        elif entry in ("", "-1"):
            device = None
        else:
            device = next((d for d in order if d.uuid is not None and d.uuid.lower() == entry.lower()), None)
            if device is None and strict:
                return None
        if device is None:
            break
        if device in taken and strict:
            return []
        if device not in taken:
            taken.append(device)
    return taken
