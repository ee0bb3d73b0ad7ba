"""Cambricon's cards in what `lspci` prints.

    3b:00.0 Processing accelerators: Cambricon Technologies Corporation Limited MLU370 (rev 01)
    0000:86:00.0 Processing accelerators [1200]: Cambricon Technologies Corporation Limited Device [cabc:0590]
    d8:00.0 1200: cabc:0370 (rev 01)

Seen    pciutils 3.x, with and without -nn, -n and -D.
"""

from collections.abc import Iterator
from typing import Final

from accel.backend import Reader, Reading
from accel.model.report import Report
from accel.pattern import pattern
from accel_cambricon.model import BACKEND, CambriconDevice, cambricon_device
from accel_cambricon.readers.values import pci_address

SOURCE: Final = "lspci"
_LINE: Final = pattern(
    r"(?m)^\s*((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])[ \t\"]+"
    r"(?:[A-Z][^:\n]{3,60}|[0-9a-f]{4}):?[ \t\"]+(?:Cambricon[^\n]*|cabc:[0-9a-f]{4}[^\n]*)$"
)
_NAME: Final = pattern(r"\bMLU\d{3}[\w-]*")
_ID: Final = pattern(r"\bcabc:[0-9a-f]{4}\b")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the cards in the list's order, which is their order on the bus."""
    devices: dict[str, CambriconDevice] = {}
    for found in _LINE.finditer(text):
        address = pci_address(found[1])
        name, pci_id = _NAME.search(found[0]), _ID.search(found[0])
        if address is not None and address not in devices:
            devices[address] = cambricon_device(
                len(devices),
                name=name[0] if name else None,
                pci_address=address,
                pci_id=pci_id[0] if pci_id else None,
            )
    if devices:
        report = Report(backend=BACKEND, source=SOURCE, trust=30, devices=tuple(devices.values()))
        yield Reading(source=SOURCE, reports=(report,))


READER: Final = Reader(name=SOURCE, signs=("Cambricon", "cabc:"), read=read)
