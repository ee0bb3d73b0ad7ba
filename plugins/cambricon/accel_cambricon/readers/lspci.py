"""Cambricon's cards in what `lspci` prints.

    3b:00.0 Processing accelerators: Cambricon Technologies Corporation Limited MLU370 (rev 01)
    0000:86:00.0 Processing accelerators [1200]: Cambricon Technologies Corporation Limited Device [cabc:0590]
    d8:00.0 1200: cabc:0370 (rev 01)

Seen    pciutils 3.x, with and without -nn, -n and -D.
"""

from typing import Final

from accel.text.pattern import pattern
from accel.vendors.toolkit.lspci_reader import lspci_reader
from accel_cambricon import VENDOR

READER: Final = lspci_reader(VENDOR, "Cambricon", names=pattern(r"\bMLU\d{3}[\w-]*"))
