"""The links between GPUs, as printed by `rocm-smi --showtopo` and `amd-smi topology`.

    ======================= Link Type between two GPUs =======================
           GPU0         GPU1
    GPU0   0            XGMI
    GPU1   XGMI         0

    LINK TYPE TABLE:
                 0000:0c:00.0 0000:22:00.0
    0000:0c:00.0 SELF         XGMI
    0000:22:00.0 XGMI         SELF

Seen   forms of ROCm 5 to 7, from their source; other tables in the same output (weight, hops, NUMA) are skipped.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text.amounts import pci_address
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.link_types import link_table
from accel_amd.model import AmdDevice
from accel_amd.record import BACKEND, gpu

SOURCE: Final = "link types"
_TITLE: Final = pattern(r"link type (?:between two GPUs|table)")
_NAME: Final = pattern(r"GPU(\d{1,3})|(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_OTHERS: Final = pattern(r"hy-smi")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the GPUs of the table, by position, and their links."""
    table = None if _OTHERS.search(text) else link_table(text, _TITLE, _NAME)
    if table is not None:
        devices = tuple(_device(place, name) for place, name in enumerate(table.names))
        joined = table.links(dict(zip(table.names, (device.id for device in devices), strict=True)))
        report = Report(backend=BACKEND, source=SOURCE, trust=30, devices=devices, links=joined)
        yield Reading(source=SOURCE, reports=(report,), first_line=table.lines[0], last_line=table.lines[-1])


def _device(place: int, name: str) -> AmdDevice:
    found = _NAME.fullmatch(name)
    number = int(found[1]) if found is not None and found[1] else None
    return gpu(place if number is None else number, None, pci_address=None if number is not None else pci_address(name))


READER: Final = Reader(name=SOURCE, signs=("link type",), read=read)
