"""Identify a device's chip by its name or PCI ID; if a name stands for several products, also by its memory."""

from collections.abc import Callable
from typing import Final

from accel.model.chip import Chip
from accel.model.device import Device
from accel.specs.load import Specs

_LIKE: Final = 0.15  # share by which a driver may show less memory than the nominal; ECC and firmware keep some back


def matched(
    specs: Specs, name: str | None, vendor: str | None, pci_id: str | None, memory_bytes: int | None
) -> tuple[Chip | None, tuple[Chip, ...]]:
    """Return (chip, ()), or (None, the chips that the name can mean), which are () if the name is unknown."""
    chip = specs.chip(name, vendor, pci_id)
    if chip is not None or not name:
        return chip, ()
    found = specs.find(name, vendor)
    fitting = [one for one in found if fits(one, memory_bytes)]
    return (fitting[0], ()) if len(fitting) == 1 else (None, tuple(fitting) or found)


def chip_of(specs: Specs, device: Device) -> Chip | None:
    """Return a device's chip; None if it is unknown, or if several chips match both its name and its memory."""
    return matched(specs, device.name, device.backend, device.pci_id, device.memory_total_bytes)[0]


def chips_of(specs: Specs, device: Device) -> tuple[Chip, ...]:
    """Return every chip that a device can be according to its whole record; () if none is known."""
    chip, found = matched(specs, device.name, device.backend, device.pci_id, device.memory_total_bytes)
    if chip is not None:
        return (chip,)
    for said in (device.name, device.pci_id):
        found = found or (specs.named(said).chips if said else ())
    found = _agreeing(found, lambda one: one.vendor == specs.folder_of(device.backend))
    found = _agreeing(found, lambda one: one.architecture == device.architecture)
    found = _agreeing(found, lambda one: device.compute_capability in (one.compute_capability, one.compute_target))
    if device.is_partition:
        return found
    found = _agreeing(found, lambda one: fits(one, device.memory_total_bytes))
    return _agreeing(found, lambda one: one.multiprocessors == device.multiprocessors is not None)


def without_bespoke(chips: tuple[Chip, ...]) -> tuple[Chip, ...]:
    """Return a family's chips without those made for a single customer; all of them if there are no others."""
    return _agreeing(chips, lambda one: not one.bespoke)


def _agreeing(chips: tuple[Chip, ...], agrees: Callable[[Chip], bool]) -> tuple[Chip, ...]:
    """Return the chips that satisfy a condition; all of them if none does, since it then decides nothing."""
    return tuple(filter(agrees, chips)) or chips


def fits(chip: Chip, memory_bytes: int | None) -> bool:
    """Return whether a device with this chip can report this memory size; False if either is unknown."""
    if chip.memory_bytes is None or memory_bytes is None:
        return False
    nominal = chip.memory_bytes / chip.devices
    return nominal * (1 - _LIKE) <= memory_bytes <= nominal * 1.01
