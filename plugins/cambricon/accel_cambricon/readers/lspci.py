"""Cambricon's cards in what `lspci` prints.

    3b:00.0 Processing accelerators: Cambricon Technologies Corporation Limited MLU370 (rev 01)
    0000:86:00.0 Processing accelerators [1200]: Cambricon Technologies Corporation Limited Device [cabc:0590]
    d8:00.0 1200: cabc:0370 (rev 01)

Seen    pciutils 3.x, with and without -nn, -n and -D.
"""

from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Report
from accel.text.lspci import functions
from accel.text.pattern import pattern
from accel_cambricon import VENDOR

SOURCE: Final = "lspci"
_NAME: Final = pattern(r"\bMLU\d{3}[\w-]*")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the cards in the list's order, which is their order on the bus."""
    devices = tuple(
        VENDOR.device(
            index,
            name=name[0] if (name := _NAME.search(one.line)) else None,
            pci_address=one.address,
            pci_id=one.pci_id,
        )
        for index, one in enumerate(functions(text, "Cambricon", "cabc"))
    )
    if devices:
        report = Report(backend=VENDOR.name, source=SOURCE, trust=30, devices=devices)
        yield Reading(source=SOURCE, reports=(report,))


READER: Final = Reader(name=SOURCE, signs=("Cambricon", "cabc:"), read=read)
