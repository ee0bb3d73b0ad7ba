"""Selects devices by the words that a user typed."""

from collections.abc import Callable, Sequence

from accel.model.device import Device
from accel.model.errors import NoSuchDevice
from accel.text.amounts import pci_address

_UUID_BEGINNING = 6  # the minimum length of a uuid prefix that selects a device


def chosen(devices: Sequence[Device], words: Sequence[str]) -> tuple[tuple[Device, ...], Callable[[Device], bool]]:
    """Return the selected devices, in order, and a function that says whether a device that appears later is selected
    too.

    Without words: the accelerators, or the CPU if there are none; with "all": every device. Selecting a device also
    selects its partitions. Raises NoSuchDevice for a word that matches no device.
    """
    if "all" in words:
        return tuple(devices), lambda _: True
    accelerators = [device for device in devices if device.kind != "cpu"]
    if not words:
        return tuple(accelerators or devices), lambda device: device.kind != "cpu" or not accelerators
    meant: set[str] = set()
    for word in words:
        found = [device for device in devices if _is_named(device, word)]
        if not found and word.isdecimal() and int(word) < len(accelerators):
            found = [accelerators[int(word)]]
        if not found:
            here = ", ".join(device.id for device in devices) or "none"
            raise NoSuchDevice(f"No device {word!r} on this machine. It has: {here}. Try  accel devices")
        meant.update(device.id for device in found)

    def is_meant(device: Device) -> bool:
        return device.id in meant or device.parent in meant

    return tuple(device for device in devices if is_meant(device)), is_meant


def _is_named(device: Device, word: str) -> bool:
    wanted = word.lower()
    if wanted in (name.lower() for name in (device.id, device.uuid, *(device.runtime_names or ())) if name):
        return True
    address = pci_address(word)
    if address is not None and address == device.pci_address:
        return True
    return len(wanted) >= _UUID_BEGINNING and (device.uuid or "").lower().startswith(wanted)
