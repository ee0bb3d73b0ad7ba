"""`npu-smi info -t proc-mem -i N`: the processes of one NPU.

    NPU ID                         : 0
    Process id:395864  Process name:power_test        Process memory(MB):5118

Seen   in the vendor's documents for 950; elsewhere there are "Chip ID" lines between the rows.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.device import Process
from accel.model.report import Report
from accel.text.amounts import mebibytes
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_ascend.chips import BACKEND, VENDOR
from accel_ascend.model import AscendDevice
from accel_ascend.readers.placing import places

_SOURCE: Final = "npu-smi info -t proc-mem"
_ROW: Final = pattern(
    r"Process id\s*:\s*(\d{1,10})\s+Process name\s*:(?:\s*(\S+))?\s+Process memory\(MB\)\s*:\s*(\d{1,9})\b"
)
_ID: Final = pattern(r"^\s*(NPU|Chip) ID\s*:\s*(\d{1,6})\s*$")


def read(text: str) -> Iterator[Reading]:
    """Yield the processes by device; rows without an NPU ID above them belong to no known device."""
    found: dict[tuple[int, int | None], list[Process]] = {}
    npu_id: int | None = None
    chip_id: int | None = None
    for line in text.splitlines():
        if header := _ID.match(line):
            npu_id, chip_id = (int(header[2]), None) if header[1].upper() == "NPU" else (npu_id, int(header[2]))
        elif (row := _ROW.search(line)) and npu_id is not None:
            process = Process(pid=int(row[1]), name=row[2] or None, memory_bytes=mebibytes(row[3]))
            found.setdefault((npu_id, chip_id), []).append(process)
    known = places(text)
    devices = tuple(
        AscendDevice(
            id=f"{BACKEND}:{known[place]}",
            index=known[place],
            backend=BACKEND,
            vendor=VENDOR,
            kind="npu",
            npu_id=place[0],
            chip_id=place[1],
            processes=tuple(processes),
        )
        for place, processes in found.items()
        if place in known
    )
    if devices:
        yield Reading(source=_SOURCE, reports=(Report(backend=BACKEND, source=_SOURCE, trust=62, devices=devices),))


READER: Final = Reader(name=_SOURCE, signs=("Process memory(MB):", "Process memory(MB) :"), read=read)
