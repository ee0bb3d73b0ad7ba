"""The table that `hy-smi` prints, and `rocm-smi` of Hygon's toolkit.

    ============================ System Management Interface =============================
    DCU     Temp     AvgPwr     Perf     PwrCap     VRAM%      DCU%      Mode
    0       67.0C    95.0W      manual   600.0W     87%        74%       Normal
    =================================== End of SMI Log ===================================

Seen    DCU and HCU as the first column, with or without SCLK, MCLK, Fan, Dec%, Enc% and Mode; "50.0c" in old ones. The
        columns are read by their names. It says no memory size, no name and no bus address. AMD's table looks alike
        and calls its first column GPU.
"""

from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Report
from accel.text.amounts import quantity, word
from accel.text.pattern import pattern
from accel_hygon import VENDOR
from accel_hygon.model import HygonDevice

SOURCE: Final = "hy-smi table"
TRUST: Final = 60
_HEADER: Final = pattern(r"\s*[DH]CU\s+Temp\s.*")
_COLUMN: Final = pattern(r"Temp(?:erature)?(?: ?\([^)\s]*\))?|\S+")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading a table; a table begins at its header, and ends where a line is no row of it."""
    columns: list[str] = []
    rows: dict[int, HygonDevice] = {}
    first = last = 0
    for number, line in enumerate(text.splitlines(), 1):
        if _HEADER.fullmatch(line):
            yield from _reading(rows, first, last)
            columns, rows, first, last = [c.lower() for c in _COLUMN.findall(line)], {}, number, number
        elif columns and (device := _row(columns, line)) is not None:
            rows[device.index] = device
            last = number
        elif line.strip() and not line.strip().startswith("="):
            columns = columns if not rows else []
    yield from _reading(rows, first, last)


def _row(columns: list[str], line: str) -> HygonDevice | None:
    cells = line.split()
    if len(cells) < 2 or len(cells) > len(columns) or not (cells[0].isascii() and cells[0].isdigit()):
        return None
    if len(cells) < len(columns):
        cells = cells[:-1]  # the last of a cut line may be cut itself
    row = dict(zip(columns, cells, strict=False))
    temperature = quantity(row.get("temp"), "c")
    power = quantity(row.get("avgpwr"), "w")
    if len(cells[0]) > 3 or (temperature is None and power is None and word(row.get("perf")) is None):
        return None
    index = int(cells[0])
    used = quantity(row.get("vram%"), "%")
    utilization = quantity(row.get("dcu%") or row.get("hcu%"), "%")
    return VENDOR.device(
        index,
        temperature_celsius=temperature,
        power_watts=power,
        power_limit_watts=quantity(row.get("pwrcap"), "w"),
        memory_used_percent=used,
        utilization_percent=utilization,
        performance_level=word(row.get("perf")),
        mode=word(row.get("mode")),
    )


def _reading(rows: dict[int, HygonDevice], first: int, last: int) -> Iterator[Reading]:
    if rows:
        report = Report(backend=VENDOR.name, source=SOURCE, trust=TRUST, devices=tuple(rows.values()))
        yield Reading(source=SOURCE, reports=(report,), first_line=first, last_line=last)


READER: Final = Reader(name=SOURCE, signs=("DCU ", "HCU ", "DCU\t", "HCU\t"), read=read)
