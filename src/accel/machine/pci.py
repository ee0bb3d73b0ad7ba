"""Lists what is on the PCI bus, by id.

Reads   /proc/bus/pci/devices            one file for the whole bus: "1900\\t10de2330\\t18\\t…"; containers may hide it
        /sys/bus/pci/devices/*/vendor, device   "0x10de\\n" if that file is not available
Source  Linux drivers/pci/proc.c, show_device
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_WHOLE_BUS: Final = "/proc/bus/pci/devices"
_SYSFS: Final = "/sys/bus/pci/devices"


def scan(machine: "Machine") -> frozenset[str]:
    """Return the "vendor:device" of every function on the bus, in lower-case hex; empty if the bus is not visible."""
    try:
        return frozenset(_ids(machine.read(_WHOLE_BUS)))
    except OSError:
        return frozenset(found for name in machine.list(_SYSFS) if (found := _id(machine, f"{_SYSFS}/{name}")))


def _ids(text: str) -> "list[str]":
    words = (line.split("\t", 2)[1:2] for line in text.splitlines())
    return [f"{word[0][:4]}:{word[0][4:]}" for word in words if word and len(word[0]) == 8]


def _id(machine: "Machine", folder: str) -> str | None:
    try:
        vendor, device = (machine.read(f"{folder}/{name}", 16).strip() for name in ("vendor", "device"))
    except OSError:
        return None
    return f"{vendor.removeprefix('0x')}:{device.removeprefix('0x')}".lower()
