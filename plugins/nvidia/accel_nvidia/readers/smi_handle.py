"""nvidia-smi's message that it cannot open a GPU.

    Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.  Reboot the system to recover this GPU
    Unable to determine the device handle for GPU2: 0000:41:00.0: Unknown Error

Seen    drivers 361 to 580, which write "GPU 0000:…", "GPU0000:…", "gpu 0000:…" and "GPU1: 0000:…". It may be wrapped.
Notes   gpu-handle-refused (pci, why). Failures for lack of permission, power or a driver are left out.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.amounts import pci_address
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted_at, reading_of

SOURCE: Final = "nvidia-smi"
_REFUSED: Final = pattern(
    r"Unable\s+to\s+determine\s+the\s+device\s+handle\s+for\s+(?:the\s+)?GPU\s{0,3}(?:\d{1,2}\s?:\s{0,2})?"
    r"((?:[0-9A-Fa-f]{1,8}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}(?:\.[0-7])?)(?:\s{0,2}:\s{0,2}([A-Za-z][^\n.]{0,80}))?",
    re.IGNORECASE,
)
_OTHER_FAULTS: Final = ("permission", "power", "mismatch", "not loaded", "requires reset", "corrupted inforom")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the GPUs that could not be opened."""
    found: list[Noted] = []
    for hit in _REFUSED.finditer(text):
        why = " ".join((hit[2] or "").split())
        if any(words in why.lower() for words in _OTHER_FAULTS):
            continue
        found.append(noted_at("gpu-handle-refused", hit, SOURCE, pci=pci_address(hit[1]), why=why))
    yield from reading_of(SOURCE, found)


READER: Final = Reader(name="a GPU that nvidia-smi cannot open", signs=("device handle",), read=read)
