"""Hygon's DCUs in what `lspci` prints.

    07:00.0 Display controller [0380]: Chengdu Haiguang IC Design Co., Ltd. ZIFANG [1d94:55b7] (rev 01)
    0000:05:00.0 Co-processor: Chengdu Haiguang IC Design Co., Ltd. KONGMING
    00:00.0 Host bridge: Chengdu Haiguang IC Design Co., Ltd. Root Complex          a processor's: no DCU

Seen    pciutils 3.x, with and without -nn, -n and -D. Without ids the class tells a DCU from a processor's own parts.
"""

from collections.abc import Iterator
from typing import Final

from accel.backend import Reader, Reading
from accel.model.report import Report
from accel.pattern import pattern
from accel_hygon.model import BACKEND, HygonDevice, hygon_device
from accel_hygon.presence import is_dcu
from accel_hygon.readers.values import pci_address

SOURCE: Final = "lspci"
_LINE: Final = pattern(
    r"(?m)^\s*((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])[ \t\"]+"
    r"(?P<class>[A-Z][^:\n]{3,60}|[0-9a-f]{4}):?[ \t\"]+(?:Chengdu Haiguang[^\n]*|1d94:[0-9a-f]{4}[^\n]*)$"
)
_CLASSES: Final = ("Display controller", "Co-processor", "Processing accelerators", "3D controller")
_ID: Final = pattern(r"\b1d94:[0-9a-f]{4}\b")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the DCUs in the list's order, which is their order on the bus."""
    devices: dict[str, HygonDevice] = {}
    for found in _LINE.finditer(text):
        address = pci_address(found[1])
        pci_id = _ID.search(found[0])
        ours = is_dcu(pci_id[0]) if pci_id else found["class"].startswith(_CLASSES)
        if ours and address is not None and address not in devices:
            devices[address] = hygon_device(
                len(devices),
                pci_address=address,
                pci_id=pci_id[0] if pci_id else None,
            )
    if devices:
        report = Report(backend=BACKEND, source=SOURCE, trust=30, devices=tuple(devices.values()))
        yield Reading(source=SOURCE, reports=(report,))


READER: Final = Reader(name=SOURCE, signs=("Haiguang", "1d94:"), read=read)
