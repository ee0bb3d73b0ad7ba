"""Matches watched devices with a later listing: devices that disappeared, appeared, or changed their ids."""

from collections.abc import Callable, Sequence

from accel.model.device import Device
from accel.model.merge import filled
from accel.watch.sampling.tick import Happening


def key(device: Device) -> str:
    """Return the best known identity of a device: its uuid, else its PCI address, else its id."""
    part = "" if device.is_top_level else device.parent
    return device.uuid or (f"{device.pci_address}{part}" if device.pci_address else device.id)


def joined(
    known: Sequence[Device], listed: Sequence[Device], wanted: Callable[[Device], bool]
) -> tuple[tuple[Device, ...], list[Happening]]:
    """Return the devices to watch from now on, and what has changed.

    A whole device that is no longer listed stays, so that its absence is visible; a partition that is missing although
    its device is listed has been removed. wanted: whether to watch a device that was not known before.
    """
    before = {device.id: device for device in known}
    now = {d.id: _remembered(before.get(d.id), d) for d in listed if d.id in before or wanted(d)}
    happened: list[Happening] = []
    for name, device in now.items():
        old = before.get(name)
        if old is None:
            happened.append(Happening(kind="new", device=name, text=f"{name} is there: {_who(device)}"))
        elif key(old) != key(device):
            text = f"{name} is another one: {_who(device)}, before {_who(old)}"
            happened.append(Happening(kind="changed", device=name, text=text))
    kept = dict(now)
    listed_ids = {device.id for device in listed}
    for name, old in before.items():
        if name in now:
            continue
        if old.parent is not None and old.parent in listed_ids:
            text = f"{name} is no longer there: {old.parent} has been repartitioned"
            happened.append(Happening(kind="gone", device=name, text=text))
        else:
            kept[name] = old
    order = {device.id: place for place, device in enumerate((*known, *listed))}
    places = {device.id: place for place, device in enumerate(listed)}
    ids = sorted(kept, key=lambda name: (_whole(kept[name], places, order), places.get(name, order[name])))
    return tuple(kept[name] for name in ids), happened


def _remembered(old: Device | None, new: Device) -> Device:
    """Return the record to keep: the new one, completed from the old one of the same device; the old one if the new one
    has no uuid and may be the same device, since a lost device reports nothing.
    """
    if old is None or old.uuid is None:
        return new
    if new.uuid is not None:
        return filled(new, old) if new.uuid == old.uuid else new
    elsewhere = old.pci_address and new.pci_address and old.pci_address != new.pci_address
    return new if elsewhere else old


def _whole(device: Device, places: dict[str, int], order: dict[str, int]) -> int:
    """Return the position of the device, or of the whole device that it is a partition of."""
    name = device.id if device.is_top_level else device.parent or device.id
    return places.get(name, order.get(name, device.index))


def _who(device: Device) -> str:
    return " ".join(word for word in (device.name, device.uuid) if word) or device.pci_address or "of unknown name"
