"""Groups equal devices: a page on eight equal GPUs describes them once."""

from collections.abc import Iterable, Sequence

from accel.apps.render.units import plural
from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.specs import Chip, Specs
from accel.specs.matching import matched


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """Whole devices of one product, each followed by its partitions.

    chip        the spec database's record; None: none, or candidates, any of which the name could mean
    """

    devices: tuple[Device, ...]
    chip: Chip | None
    candidates: tuple[Chip, ...] = ()

    @property
    def whole(self) -> tuple[Device, ...]:
        return tuple(device for device in self.devices if device.is_top_level)

    @property
    def title(self) -> str:
        first = self.devices[0]
        name = first.name or f"{first.vendor} device"
        parts = len(self.devices) - len(self.whole)
        many = f"{len(self.whole)} × {name}"
        if not self.whole:
            return f"{plural(parts, 'partition')} of {name}"
        return f"{many}, {plural(parts, 'partition')}" if parts else many


def unmatched(device: Device) -> str:
    """Return why nothing is known about the device's product."""
    if device.name is None and device.pci_id is None:
        return "neither its name nor its PCI id is known"
    return "the spec database has no product with this name or PCI id"


def alike(devices: Iterable[Device], specs: Specs) -> tuple[Alike, ...]:
    """Return the devices by product, in order of the first device of each; the CPU last."""
    every = sorted(devices, key=lambda device: device.kind == "cpu")
    ids = {device.id for device in every}
    roots = [device for device in every if device.parent not in ids]
    parts: dict[str, list[Device]] = {}
    for device in every:
        home = _root(device, every)
        if device not in roots and home in roots:
            parts.setdefault(home.id, []).append(device)
    placed = {part.id for group in parts.values() for part in group}
    groups: dict[tuple[object, ...], list[Device]] = {}
    for device in every:
        if device in roots or device.id not in placed:
            groups.setdefault(_product(device), []).extend((device, *parts.get(device.id, ())))
    found = []
    for group in groups.values():
        chip, candidates = _chip(specs, group[0])
        found.append(Alike(devices=tuple(group), chip=chip, candidates=candidates))
    return tuple(found)


def _root(device: Device, every: Sequence[Device]) -> Device:
    """Return the whole device that this one is part of; itself if it has no parent, or a cyclic one."""
    by_id = {other.id: other for other in every}
    seen = {device.id}
    while device.parent in by_id and device.parent not in seen:
        device = by_id[device.parent]
        seen.add(device.id)
    return device


def _product(device: Device) -> tuple[object, ...]:
    memory = None if device.memory_total_bytes is None else round(device.memory_total_bytes / 2**30)
    return (device.backend, device.vendor, device.kind, device.name, device.pci_id, device.architecture, memory)


def _chip(specs: Specs, device: Device) -> tuple[Chip | None, tuple[Chip, ...]]:
    if device.kind == "cpu":
        return None, ()
    memory = device.memory_total_bytes if device.is_top_level else None
    return matched(specs, device.name, device.backend, device.pci_id, memory)
