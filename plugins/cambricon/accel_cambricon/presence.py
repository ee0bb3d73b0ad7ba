"""Whether a Cambricon card or its driver may be here. Loads and runs nothing."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

PCI_VENDOR: Final = "cabc"
_SIGNS: Final = ("/dev/cambricon_ctl", "/dev/cambricon_dev0", "/proc/driver/cambricon")


def may_be_here(machine: "Machine") -> bool:
    """Say whether a node, the driver's folder in /proc, or a card on the PCI bus is here."""
    return (
        any(machine.exists(path) for path in _SIGNS)
        or any(pci_id.startswith(f"{PCI_VENDOR}:") for pci_id in machine.pci_ids())
        or bool(nodes(machine))
    )


def nodes(machine: "Machine") -> tuple[int, ...]:
    """Return the numbers of the nodes /dev/cambricon_dev<N>, in order."""
    names = (name.removeprefix("cambricon_dev") for name in machine.list("/dev") if name.startswith("cambricon_dev"))
    return tuple(sorted(int(number) for number in names if number.isdecimal()))
