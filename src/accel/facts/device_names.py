"""Finds devices by the names that people and programs use."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.model.errors import NoSuchDevice
from accel.text.amounts import pci_address
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.model.device import Device

_UUID_BEGINNING: Final = 6  # letters of a uuid from which on its beginning may name a device: "GPU-8f"
_MOST_DIGITS: Final = 6
_NAME: Final = pattern(r"\d{1,5}|[a-z][a-z-]{1,20}:\d{1,5}(?:/\d{1,3})?|(?:GPU|MIG)-[0-9a-f-]{6,40}")


def device_named(found: "Sequence[Device]", name: str, where: str = "on this machine") -> "Device":
    """Return the device with this name: an id, a UUID or its beginning, a PCI address, its name in a runtime, or its
    index if only one vendor's devices have it.

    where  whose devices they are, for the message

    Raises NoSuchDevice, which lists the devices.
    """
    wanted, address = name.lower(), pci_address(name)
    for candidate in found:
        names = (candidate.id, candidate.uuid, candidate.pci_address)
        if wanted in (known.lower() for known in names if known) or (address and address == candidate.pci_address):
            return candidate
    called = [d for d in found if wanted in map(str.lower, d.runtime_names or ())]
    if called:
        return the_only(called, name)
    if wanted.isdecimal() and len(wanted) < _MOST_DIGITS:
        numbered = [d for d in found if d.index == int(wanted) and d.is_top_level and d.kind != "cpu"]
        if len(numbered) == 1:
            return numbered[0]
        if numbered:
            raise NoSuchDevice(f"{name!r} is the number of several: {', '.join(d.id for d in numbered)}. Give one.")
    begun = [d for d in found if d.uuid and len(wanted) > _UUID_BEGINNING and d.uuid.lower().startswith(wanted)]
    if len(begun) == 1:
        return begun[0]
    here = ", ".join(d.id for d in begun or found) or "none"
    meant = "is the beginning of several" if begun else f"is {where}"
    raise NoSuchDevice(f"{'' if begun else 'No device '}{name!r} {meant}. There are: {here}. Try  accel devices")


def the_only(called: "Sequence[Device]", name: str) -> "Device":
    """Return the device with this name in a runtime. Raises NoSuchDevice if the runtimes of two vendors have one."""
    if len(called) == 1:
        return called[0]
    raise NoSuchDevice(
        f"{name!r} is what the runtimes of several vendors here call a device: {', '.join(d.id for d in called)}. "
        "Give one of these ids."
    )


def devices_named(found: "Sequence[Device]", names: "Sequence[str]") -> "tuple[Device, ...]":
    """Return the devices with these names, as `device_named` takes them, and the partitions of each."""
    wanted = {device_named(found, name).id for name in names}
    return tuple(device for device in found if device.id in wanted or device.parent in wanted)


def may_name_a_device(word: str) -> bool:
    """Return whether a word has the form of a device's name.

    >>> [may_name_a_device(word) for word in ("nvidia:2", "2", "0000:3b:00.0", "report.txt")]
    [True, True, True, False]
    """
    return _NAME.fullmatch(word) is not None or pci_address(word) is not None
