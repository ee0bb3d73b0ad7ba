"""A chip's family from its name or PCI ID, in the terms of CANN's package variants.

Source  SoC names and ranges of github.com/Ascend/pytorch NpuVariables; PCI ids of the driver's device tables
        (gitcode.com/cann/driver, devdrv_pci.h). pci.ids has none of them, so lspci prints "Device d802".
"""

import re
from collections.abc import Sequence
from typing import Final

VENDOR: Final = "Huawei"
BACKEND: Final = "ascend"

_FAMILIES: Final = (  # the first that matches the name wins
    (r"950|910_?95|910_?55", "ascend950"),
    (r"910_?93|910C", "ascend910_93"),
    (r"910B[1-4]", "ascend910b"),
    (r"910(A|Pro|Premium)", "ascend910"),
    (r"310P", "ascend310p"),
    (r"310B", "ascend310b"),
    (r"310$", "ascend310"),
)
_PCI_FAMILIES: Final = {
    "d100": "ascend310",
    "d105": "ascend310b",
    "d107": "ascend310b",
    "d500": "ascend310p",
    "d501": "ascend310p",
    "d801": "ascend910",
    "d802": "ascend910b",
    "d803": "ascend910_93",
    "d804": "ascend910b",
    "d805": "ascend910b",
    "d806": "ascend950",
    "d807": None,  # in the driver's table, but not announced
    "d808": None,
}
_OEM_VENDORS: Final = ("20c6", "203f", "20e9")  # re-branded boards that the same driver binds
_OEM_DEVICES: Final = ("d500", "d802")

PCI_IDS: Final = (
    *(f"19e5:{device}" for device in _PCI_FAMILIES),
    *(f"{vendor}:{device}" for vendor in _OEM_VENDORS for device in _OEM_DEVICES),
)


def is_npu(pci_id: str) -> bool:
    """Return whether "vendor:device", in lower-case hex, is an Ascend chip.

    Huawei's NICs and crypto engines are not.
    """
    return pci_id in PCI_IDS


def family_of_pci_id(pci_id: str | None) -> str | None:
    """Return the family of a PCI ID; None if it is unknown or not announced."""
    return _PCI_FAMILIES.get(pci_id.partition(":")[2]) if pci_id and is_npu(pci_id) else None


def family(name: str | None, has_physical_ids: bool = False, ddr_mib: int | None = None) -> str | None:
    """Return the family of a chip's printed name, "910B3" or "Ascend 310P3"; None if the name is ambiguous.

    "910B" without a digit is the first generation's second bin (with DDR of its own), or an A2 chip under an
    early tool (with none). "Ascend910" with a physical id column is a die of an A3 module.
    """
    if not name:
        return None
    for pattern, found in _FAMILIES:
        if re.search(pattern, name, re.IGNORECASE):
            return found
    if re.fullmatch(r"(Ascend ?)?910B", name, re.IGNORECASE) and ddr_mib is not None:
        return "ascend910" if ddr_mib else "ascend910b"
    if re.fullmatch(r"(Ascend ?)?910", name, re.IGNORECASE) and has_physical_ids:
        return "ascend910_93"
    return None


def numbered(places: Sequence[tuple[int, int]]) -> list[int]:
    """Return a number for each (NPU ID, chip ID): NPU ID times the chips of an NPU, plus chip ID, as on an A3 node."""
    chips = 1 + max((chip for _, chip in places), default=0)
    return [npu * chips + chip for npu, chip in places]
