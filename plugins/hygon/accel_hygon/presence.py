"""Whether a Hygon DCU or its driver may be here. Loads and runs nothing.

Source  the device ids of the vendor's install guides (lspci -nn). Hygon's processors have bridges, controllers and
        crypto engines of the same vendor id, so the vendor alone says nothing.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

PCI_VENDOR: Final = "1d94"
PRODUCTS: Final = {  # of a chip: BW150 and BW1000 share one
    "54b7": "Z100",
    "55b7": "Z100L",
    "62b7": "K100",
    "6210": "K100_AI",
    "6211": "K100_AI",
    "6320": "BW",
    "6430": "BW1100",
}
_SIGNS: Final = ("/sys/module/hydcu", "/sys/module/hycu", "/dev/mkfd", "/opt/hyhal/bin/hy-smi")


def may_be_here(machine: "Machine") -> bool:
    """Say whether the driver's module, its tool, a virtual DCU's node, or a DCU on the PCI bus is here."""
    return any(machine.exists(path) for path in _SIGNS) or any(is_dcu(pci_id) for pci_id in machine.pci_ids())


def is_dcu(pci_id: str) -> bool:
    """Say whether "vendor:device", lower-case hex, is a DCU."""
    vendor, _, device = pci_id.partition(":")
    return vendor == PCI_VENDOR and device in PRODUCTS
