"""Devices by the names that people and programs have for them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.model.errors import NoSuchDevice
from accel.text.amounts import pci_address

if TYPE_CHECKING:
    from accel.model.device import Device

_UUID_BEGINNING: Final = 6  # letters of a uuid from which on its beginning may name a device: "GPU-8f"


def device_named(found: "Sequence[Device]", name: str) -> "Device":
    """Return the device of this name: an id, a uuid or its beginning, a PCI address, what a runtime calls it.

    Raises NoSuchDevice, with those that are there.
    """
    wanted, address = name.lower(), pci_address(name)
    for candidate in found:
        names = (candidate.id, candidate.uuid, candidate.pci_address, *(candidate.runtime_names or ()))
        if wanted in (known.lower() for known in names if known) or (address and address == candidate.pci_address):
            return candidate
    begun = [d for d in found if d.uuid and len(wanted) > _UUID_BEGINNING and d.uuid.lower().startswith(wanted)]
    if len(begun) == 1:
        return begun[0]
    here = ", ".join(d.id for d in begun or found) or "none"
    meant = "is the beginning of several" if begun else "is on this machine"
    raise NoSuchDevice(f"{'' if begun else 'No device '}{name!r} {meant}. Here are: {here}. See  accel devices")
