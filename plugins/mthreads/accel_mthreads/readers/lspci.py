"""Moore Threads' GPUs in what `lspci` prints.

    04:00.0 VGA compatible controller: Moore Threads Technology Co.,Ltd MTT S80
    0000:18:00.0 Processing accelerators [1200]: Moore Threads Technology Co.,Ltd Device [1ed5:0400] (rev 01)
    18:00.0 0302: 1ed5:0400
    04:00.1 Audio device: Moore Threads Technology Co.,Ltd MTT HDMI/DP Audio          no GPU

Seen    pciutils 3.x, with and without -nn, -n and -D.
"""

from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Report
from accel.text.lspci import functions
from accel.text.pattern import pattern
from accel_mthreads import VENDOR

SOURCE: Final = "lspci"
_NAME: Final = pattern(r"\bMTT [SX]\d{2,4}\w*")
_SOUND: Final = ("Audio", "04")  # the class of a card's sound device


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the GPUs in the list's order, which is their order on the bus."""
    silent = (one for one in functions(text, "Moore Threads", "1ed5") if not one.kind.startswith(_SOUND))
    devices = tuple(
        VENDOR.device(
            index,
            name=name[0] if (name := _NAME.search(one.line)) else None,
            pci_address=one.address,
            pci_id=one.pci_id,
        )
        for index, one in enumerate(silent)
    )
    if devices:
        report = Report(backend=VENDOR.name, source=SOURCE, trust=30, devices=devices)
        yield Reading(source=SOURCE, reports=(report,))


READER: Final = Reader(name=SOURCE, signs=("Moore Threads", "1ed5:"), read=read)
