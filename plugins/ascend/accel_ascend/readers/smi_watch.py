"""`npu-smi info watch`: an endless stream, its header printed once.

    NpuID(Idx)  ChipId(Idx) Pwr(W)      Temp(C)     AI Core(%)  AI Cpu(%)   Ctrl Cpu(%) Memory(%)
    0           0           290.4       51          0           0           16          3

Seen   22.0 to 25.7; 950 has no ChipId. The last row of each chip counts; a row that does not
       name its chip invalidates the last rows of all chips that it may mean.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text.amounts import count, number
from accel.text.columns import Columns, columns
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_ascend.chips import BACKEND, VENDOR
from accel_ascend.model import AscendDevice
from accel_ascend.readers.placing import places

_SOURCE: Final = "npu-smi info watch"
_COLUMN: Final = pattern(r"([A-Za-z][A-Za-z ]*)\([^()]*\)")


def read(text: str) -> Iterator[Reading]:
    """Yield the latest readings of each chip in the stream."""
    head: Columns | None = None
    latest: dict[tuple[int, int | None], dict[str, str]] = {}
    for line in text.splitlines():
        if line.lstrip().lower().startswith("npuid("):
            head = columns(line, _COLUMN)
            continue
        row = head.row(line) if head is not None else {}
        npu_id, chip_id = count(row.get("npuid", "")), count(row.get("chipid", ""))
        if head is None or sum(number(cell) is not None for cell in row.values()) < 2:
            continue
        if npu_id is None or (chip_id is None and "chipid" in head.names):
            latest.update({place: {} for place in latest if npu_id in (None, place[0])})
            continue
        latest[(npu_id, chip_id)] = row
    chips = 1 + max((chip or 0 for _, chip in latest), default=0)
    known = places(text) if latest else {}
    devices = tuple(
        _device(place, row, known.get(place, place[0] * chips + (place[1] or 0))) for place, row in latest.items()
    )
    if devices and len({d.index for d in devices}) == len(devices):
        yield Reading(source=_SOURCE, reports=(Report(backend=BACKEND, source=_SOURCE, trust=58, devices=devices),))


def _device(place: tuple[int, int | None], row: dict[str, str], index: int) -> AscendDevice:
    aicore = number(row.get("ai core", ""))
    return AscendDevice(
        id=f"{BACKEND}:{index}",
        index=index,
        backend=BACKEND,
        vendor=VENDOR,
        kind="npu",
        npu_id=place[0],
        chip_id=place[1],
        power_watts=number(row.get("pwr", "")),
        temperature_celsius=number(row.get("temp", "")),
        utilization_percent=aicore,
        aicore_percent=aicore,
        aicube_percent=number(row.get("ai cube", "")),
        aicpu_percent=number(row.get("ai cpu", "")),
        ctrlcpu_percent=number(row.get("ctrl cpu", "")),
    )


READER: Final = Reader(name=_SOURCE, signs=("NpuID(Idx)",), read=read)
