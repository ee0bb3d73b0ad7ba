"""The links between DCUs, as printed by `hy-smi --showtopo` and `--showtopotype`.

    ======================= Link Type between two DCUs =======================
           DCU0         DCU1
    DCU0   0            XGMI
    DCU1   XGMI         0

Seen   not by this project: hy-smi derives from rocm-smi, has its options, and calls the devices DCU, later HCU. A
       table of GPUs counts as one if the text mentions hy-smi.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.link_types import link_table
from accel_hygon import VENDOR

SOURCE: Final = "hy-smi topo"
_TITLE: Final = pattern(r"link type between two (?:DCU|HCU|GPU)s")
_NAME: Final = pattern(r"(?:DCU|HCU|GPU)(\d{1,3})")
_OURS: Final = pattern(r"hy-smi|link type between two [DH]CUs")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the DCUs in the table, and their links."""
    table = link_table(text, _TITLE, _NAME) if _OURS.search(text) else None
    if table is not None:
        devices = tuple(VENDOR.device(int(name[3:])) for name in table.names)
        joined = table.links(dict(zip(table.names, (device.id for device in devices), strict=True)))
        report = Report(backend=VENDOR.name, source=SOURCE, trust=30, devices=devices, links=joined)
        yield Reading(source=SOURCE, reports=(report,), first_line=table.lines[0], last_line=table.lines[-1])


READER: Final = Reader(name=SOURCE, signs=("Link Type",), read=read)
