"""The table printed by `hy-smi`, and by the `rocm-smi` of Hygon's toolkit.

    ============================ System Management Interface =============================
    DCU     Temp     AvgPwr     Perf     PwrCap     VRAM%      DCU%      Mode
    0       67.0C    95.0W      manual   600.0W     87%        74%       Normal
    =================================== End of SMI Log ===================================

Seen    DCU and HCU as the first column, with or without SCLK, MCLK, Fan, Dec%, Enc% and Mode; "50.0c" in old ones. The
        columns are read by name. It has no memory size, no name and no bus address. AMD's table looks similar
        and calls its first column GPU.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text.amounts import quantity, word
from accel.text.columns import Columns, columns
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_hygon import VENDOR
from accel_hygon.model import HygonDevice

SOURCE: Final = "hy-smi table"
TRUST: Final = 60
_HEADER: Final = pattern(r"\s*[DH]CU\s+Temp\s.*")
_NAME: Final = pattern(r"Temp(?:erature)?(?: ?\([^)\s]*\))?|\S+")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading per table; a table starts at its header and ends at the first line that is not a row."""
    head: Columns | None = None
    rows: dict[int, HygonDevice] = {}
    first = last = 0
    for number, line in enumerate(text.splitlines(), 1):
        if _HEADER.fullmatch(line):
            yield from _reading(rows, first, last)
            head, rows, first, last = columns(line, _NAME), {}, number, number
        elif head is not None and (device := _row(head, line)) is not None:
            rows[device.index] = device
            last = number
        elif line.strip() and not line.strip().startswith("="):
            head = head if not rows or (head is not None and head.row(line)) else None
    yield from _reading(rows, first, last)


def _row(head: Columns, line: str) -> HygonDevice | None:
    row = head.row(line)
    if not row and len(line.split()) < len(head.names):  # a copy that lost its blanks, and was cut
        row = dict(zip(head.names, line.split(), strict=False)) if "  " not in line.strip() else {}
    if row and head.names[-1] not in row:
        row.popitem()  # a truncated line may end within a value
    number = row.get(head.names[0], "")
    temperature = quantity(row.get("temp"), "c")
    power = quantity(row.get("avgpwr"), "w")
    if not (number.isascii() and number.isdecimal() and len(number) <= 3):
        return None
    if temperature is None and power is None and word(row.get("perf")) is None:
        return None
    index = int(number)
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
