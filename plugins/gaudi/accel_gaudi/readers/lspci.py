"""Gaudi cards in the output of `lspci -nn` or `lspci -n`, and in the driver's lines in the kernel's log.

    19:00.0 Processing accelerators [1200]: Habana Labs Ltd. Gaudi2 AI Training Accelerator [1da3:1020] (rev 01)
    0000:19:00.0 1200: 1da3:1020 (rev 01)
    habanalabs 0000:21:00.0: habanalabs device found [1da3:1060] (rev 1)

Only those Habana devices count that the spec tables list as Gaudi. lspci omits the domain if every one
is 0000.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.report import Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_gaudi.model import BACKEND, gaudi, with_product

_LINE: Final = pattern(
    r"^[ \t]*(?:habanalabs[ \t]+)?(?P<domain>[0-9a-f]{4,8}:)?(?P<slot>[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])[ \t:]"
    r"[^\n]*?\b1da3:(?P<device>[0-9a-f]{4})\b",
    re.MULTILINE | re.IGNORECASE,
)


def _read(text: str) -> Iterator[Reading]:
    ids: dict[str, str] = {}
    for found in _LINE.finditer(text):
        domain = (found["domain"] or "0000:")[-5:]
        ids.setdefault(f"{domain}{found['slot']}".lower(), f"1da3:{found['device']}".lower())
    cards = (
        with_product(replace(gaudi(0), pci_address=address, pci_id=pci_id)) for address, pci_id in sorted(ids.items())
    )
    devices = tuple(
        replace(card, id=f"{BACKEND}:{index}", index=index)
        for index, card in enumerate(card for card in cards if card.architecture)
    )
    if devices:
        yield Reading(
            source=READER.name, reports=(Report(backend=BACKEND, source=READER.name, trust=40, devices=devices),)
        )


READER: Final = Reader(name="lspci (Gaudi)", signs=("1da3:", "1DA3:"), read=_read)
