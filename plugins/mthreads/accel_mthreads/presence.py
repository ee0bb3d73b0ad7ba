"""Whether a Moore Threads GPU or its driver may be here. Loads and runs nothing."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

PCI_VENDOR: Final = "1ed5"
SOUND: Final = "ff"  # what the ids of the cards' sound devices end in
_SIGNS: Final = ("/dev/mtgpu.0", "/proc/driver/musa", "/sys/module/mtgpu")


def may_be_here(machine: "Machine") -> bool:
    """Say whether a node, the driver, or a GPU on the PCI bus is here."""
    return (
        any(machine.exists(path) for path in _SIGNS)
        or any(is_gpu(pci_id) for pci_id in machine.pci_ids())
        or bool(nodes(machine))
    )


def is_gpu(pci_id: str) -> bool:
    """Say whether "vendor:device", lower-case hex, is a GPU, and no sound device."""
    vendor, _, device = pci_id.partition(":")
    return vendor == PCI_VENDOR and not device.endswith(SOUND)


def nodes(machine: "Machine") -> tuple[int, ...]:
    """Return the numbers of the nodes /dev/mtgpu.<N>, in order."""
    names = (name.removeprefix("mtgpu.") for name in machine.list("/dev") if name.startswith("mtgpu."))
    return tuple(sorted(int(number) for number in names if number.isdecimal()))
