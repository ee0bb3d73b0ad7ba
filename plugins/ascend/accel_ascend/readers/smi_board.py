"""`npu-smi info -t board -i N`: the board; with `-c M`: one chip of it.

    NPU ID                         : 0                  NPU ID             : 0
    Product Name                   : IT21HMDC_Bin5      Chip ID            : 0
    Software Version               : 25.5.1             Chip Type          : Ascend
    Firmware Version               : 7.8.0.6.201        Chip Name          : 910A
    Compatibility                  : OK                 VDie ID            : 42C711D4 20B03704 …
    PCIe Bus Info                  : 0000:C1:00.0       PCIe Bus Info      : 0000:61:00.0
    PCI Vendor ID                  : 0x19E5
    Chip Count                     : 1

Seen   23.0.5 to 25.5.2; 950 puts both into one text and has DDie ID. "Software Version" is the driver's.
       The product name is a board code, not the chip's name.
"""

from typing import Any, Final

from accel.model.report import Driver
from accel.text.amounts import count, pci_address, word
from accel_ascend.chips import family, family_of_pci_id
from accel_ascend.readers.smi_query import query_reader


def _hexadecimal(text: str) -> str | None:
    """Return "19e5" for "0x19E5"."""
    digits = text.strip().lower().removeprefix("0x")
    return digits.zfill(4) if digits and len(digits) <= 4 and set(digits) <= set("0123456789abcdef") else None


def _complete(facts: dict[str, Any]) -> dict[str, Any]:
    vendor, device = facts.pop("_vendor", None), facts.pop("_device", None)
    pci_id = f"{vendor}:{device}" if vendor and device else None
    die = facts.get("die_id")
    return facts | {
        "pci_id": pci_id,
        "architecture": family_of_pci_id(pci_id) or family(facts.get("name")),
        "uuid": die.replace(" ", "-") if die else None,
    }


def _driver(facts: Any) -> Driver | None:
    version = facts.get("driver_version")
    return Driver(version=version, firmware_version=facts.get("firmware_version")) if version else None


READER: Final = query_reader(
    "npu-smi info -t board",
    ("Firmware Version", "PCIe Bus Info", "VDie ID", "Software Version"),
    {
        "product name": ("product_name", word),
        "npu name": ("npu_name", word),
        "chip name": ("name", word),
        "chip version": ("chip_version", word),
        "manufacturer": ("manufacturer", word),
        "serial number": ("serial", word),
        "software version": ("driver_version", word),
        "firmware version": ("firmware_version", word),
        "compatibility": ("compatibility", word),
        "board id": ("board_id", word),
        "pcie bus info": ("pci_address", pci_address),
        "slot id": ("slot_id", count),
        "pci vendor id": ("_vendor", _hexadecimal),
        "pci device id": ("_device", _hexadecimal),
        "vdie id": ("die_id", word),
        "ddie id": ("die_id", word),
        "ndie id": ("ndie_id", word),
    },
    for_each_chip=True,
    complete=_complete,
    driver=_driver,
)
