"""The lines of `xpu-smi dump -d 0,1 -m 0,1,3,5,18`: one per device and second; the last of each counts.

    Timestamp, DeviceId, GPU Utilization (%), GPU Power (W), GPU Core Temperature (C), GPU Memory Used (MiB)
    14:32:57.448,    0, 0.00, 106.60,  N/A, 28.02

Seen: xpu-smi 1.0 to 1.3. With -t there is a third column, TileId: such lines describe a part of the GPU and are
skipped.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from accel.model.dataclass import replace
from accel.model.report import Report
from accel.vendors.contract.backend import Reader, Reading
from accel_intel.model import BACKEND, IntelDevice, intel_gpu
from accel_intel.readers.properties import number, whole

_SIGN: Final = "Timestamp, DeviceId"


def _read(text: str) -> Iterator[Reading]:
    columns: list[str] = []
    devices: dict[int, IntelDevice] = {}
    first = None
    for line_number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in line.split(",")]
        if line.strip().startswith(_SIGN):
            columns = [cell.partition(" (")[0] for cell in cells]
            if "TileId" in columns:
                columns = []
            continue
        index = whole(cells[1]) if len(cells) > 1 else None
        if columns and index is not None and index < 1000 and len(cells) == len(columns):
            first = first or line_number
            devices[index] = _device(index, dict(zip(columns, cells, strict=True)))
    if devices:
        listed = tuple(devices[index] for index in sorted(devices))
        report = Report(backend=BACKEND, source=READER.name, trust=60, devices=listed)
        yield Reading(source=READER.name, reports=(report,), first_line=first)


def _device(index: int, cells: Mapping[str, str]) -> IntelDevice:
    used = number(cells.get("GPU Memory Used"))
    share = number(cells.get("GPU Utilization"))
    return replace(
        intel_gpu(index),
        utilization_percent=share if share is not None and 0 <= share <= 100 else None,
        power_watts=number(cells.get("GPU Power")),
        temperature_celsius=number(cells.get("GPU Core Temperature")),
        memory_used_bytes=round(used * 2**20) if used is not None and used >= 0 else None,
    )


READER: Final = Reader(name="xpu-smi dump", signs=(_SIGN,), read=_read)
