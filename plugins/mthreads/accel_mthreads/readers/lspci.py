"""Moore Threads' GPUs in what `lspci` prints.

    04:00.0 VGA compatible controller: Moore Threads Technology Co.,Ltd MTT S80
    0000:18:00.0 Processing accelerators [1200]: Moore Threads Technology Co.,Ltd Device [1ed5:0400] (rev 01)
    18:00.0 0302: 1ed5:0400
    04:00.1 Audio device: Moore Threads Technology Co.,Ltd MTT HDMI/DP Audio          no GPU

Seen    pciutils 3.x, with and without -nn, -n and -D.
"""

from collections.abc import Iterator
from typing import Final

from accel.backend import Reader, Reading
from accel.model.report import Report
from accel.pattern import pattern
from accel_mthreads.model import BACKEND, MThreadsDevice, mthreads_device
from accel_mthreads.readers.values import pci_address

SOURCE: Final = "lspci"
_LINE: Final = pattern(
    r"(?m)^\s*((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])[ \t\"]+"
    r"(?:(?!Audio)[A-Z][^:\n]{3,60}|(?!04)[0-9a-f]{4}):?[ \t\"]+(?:Moore Threads[^\n]*|1ed5:[0-9a-f]{4}[^\n]*)$"
)
_NAME: Final = pattern(r"\bMTT [SX]\d{2,4}\w*")
_ID: Final = pattern(r"\b1ed5:[0-9a-f]{4}\b")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the GPUs in the list's order, which is their order on the bus."""
    devices: dict[str, MThreadsDevice] = {}
    for found in _LINE.finditer(text):
        address = pci_address(found[1])
        name, pci_id = _NAME.search(found[0]), _ID.search(found[0])
        if address is not None and address not in devices:
            devices[address] = mthreads_device(
                len(devices),
                name=name[0] if name else None,
                pci_address=address,
                pci_id=pci_id[0] if pci_id else None,
            )
    if devices:
        report = Report(backend=BACKEND, source=SOURCE, trust=30, devices=tuple(devices.values()))
        yield Reading(source=SOURCE, reports=(report,))


READER: Final = Reader(name=SOURCE, signs=("Moore Threads", "1ed5:"), read=read)
