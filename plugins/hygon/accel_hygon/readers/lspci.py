"""Hygon's DCUs in what `lspci` prints.

    07:00.0 Display controller [0380]: Chengdu Haiguang IC Design Co., Ltd. ZIFANG [1d94:55b7] (rev 01)
    0000:05:00.0 Co-processor: Chengdu Haiguang IC Design Co., Ltd. KONGMING
    00:00.0 Host bridge: Chengdu Haiguang IC Design Co., Ltd. Root Complex          a processor's: no DCU

Seen    pciutils 3.x, with and without -nn, -n and -D. Without ids the class tells a DCU from a processor's own parts.
"""

from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Report
from accel.text.lspci import Function, functions
from accel_hygon import VENDOR

SOURCE: Final = "lspci"
_CLASSES: Final = ("Display controller", "Co-processor", "Processing accelerators", "3D controller")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the DCUs in the list's order, which is their order on the bus."""
    ours = (one for one in functions(text, "Chengdu Haiguang", "1d94") if _is_ours(one))
    devices = tuple(VENDOR.device(index, pci_address=one.address, pci_id=one.pci_id) for index, one in enumerate(ours))
    if devices:
        report = Report(backend=VENDOR.name, source=SOURCE, trust=30, devices=devices)
        yield Reading(source=SOURCE, reports=(report,))


def _is_ours(one: Function) -> bool:
    return VENDOR.is_board(one.pci_id) if one.pci_id else one.kind.startswith(_CLASSES)


READER: Final = Reader(name=SOURCE, signs=("Haiguang", "1d94:"), read=read)
