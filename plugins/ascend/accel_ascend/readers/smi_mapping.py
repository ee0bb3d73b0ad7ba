"""`npu-smi info -m`: the number of each chip in each numbering.

    NPU ID      Chip ID     Chip Logic ID    Chip Phy-ID    Chip Name
    0           0           0                0              Ascend910
    0           1           -                -              Mcu

Seen   22.0 to 25.7: without Chip Phy-ID on older tools; on 950 "Slot ID" and no logic id. "Mcu" is not a chip.
       A chip with an unreadable number, among others with theirs, is left out.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.text.amounts import count, word
from accel.text.columns import WIDE, Columns, columns
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_ascend.chips import BACKEND, VENDOR, family, numbered
from accel_ascend.model import AscendDevice

_SOURCE: Final = "npu-smi info -m"
_NAME: Final = pattern(r"NPU ID|Slot ID|Chip ID|Chip Logic ID|Chip Phy-?ID|Chip Name")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading per table in the text."""
    head: Columns | None = None
    rows: list[dict[str, str]] = []
    first_line = 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        names = _NAME.findall(line)
        if len(names) >= 3 and names[0].lower() == "npu id":
            yield from _reading(rows, first_line)
            head, rows, first_line = columns(re.sub("(?i)phyid", "Phy-ID", line), _NAME), [], number
            continue
        row = _row(head, line) if head is not None else {}
        if row:
            rows.append(row)
        elif head is not None and line.strip():
            yield from _reading(rows, first_line)
            head, rows = None, []
    if rows and not text.endswith("\n") and not _is_whole(rows):
        rows.pop()
    yield from _reading(rows, first_line)


def _row(head: Columns, line: str) -> dict[str, str]:
    """Return the cells of a row; {} if fewer than two of the line's cells are numbers."""
    words = line.split(None, len(head.names) - 1)
    if re.search(r"\S(?:\s{2}|\t)", line.strip()):
        row = head.row(line, WIDE)
    else:  # a copy that lost its blanks
        row = dict(zip(head.names, words, strict=True)) if len(words) == len(head.names) else {}
    ids = [row.get("npu id", ""), row.get("chip id", ""), row.get("chip logic id", ""), row.get("chip phy-id", "")]
    return row if sum(count(cell) is not None for cell in ids) >= 2 else {}


def _is_whole(rows: list[dict[str, str]]) -> bool:
    """Return whether the name that ends the last row, and the text, is complete.

    A truncated name would place its chip elsewhere.
    """
    *before, last = (row.get("chip name", "").strip() for row in rows)
    return last in before or last.lower() == "mcu" or family(last, True) is not None


def _reading(rows: list[dict[str, str]], first_line: int) -> Iterator[Reading]:
    chips = [row for row in rows if row.get("chip name", "").lower() != "mcu"]
    names = [name for row in chips if (name := word(row.get("chip name"))) is not None]
    of_310 = any(re.match(r"(Ascend ?)?310", name, re.IGNORECASE) for name in names)
    placed = [(row, _number(row, of_310)) for row in chips]
    said = "chip phy-id" if any("chip phy-id" in row for row in rows) else "chip logic id" if of_310 else ""
    if not any(said in row for row in rows):
        placed = _counted(chips)
    several = any((count(row.get("chip id", "")) or 0) > 0 for row in chips)
    devices: dict[int, AscendDevice] = {}
    for row, number in placed:
        if number is not None:
            devices.setdefault(number, _device(row, number, several))
    if devices:
        report = Report(backend=BACKEND, source=_SOURCE, trust=58, devices=tuple(devices.values()))
        yield Reading(source=_SOURCE, reports=(report,), first_line=first_line)


def _number(row: dict[str, str], of_310: bool) -> int | None:
    """Return the row's number; for a 310 the logic ID, which its table calls "Device"."""
    physical = count(row.get("chip phy-id", ""))
    return count(row.get("chip logic id", "")) if physical is None and of_310 else physical


def _counted(chips: list[dict[str, str]]) -> list[tuple[dict[str, str], int | None]]:
    """Return the rows with numbers by NPU and chip; [] if a required ID cannot be read."""
    places = [
        (npu, chip)
        for row in chips
        if (npu := count(row.get("npu id", ""))) is not None and (chip := count(row.get("chip id", ""))) is not None
        if family(row.get("chip name", ""), True) is not None  # else it may be no chip, or counted differently
    ]
    if len(places) < len(chips):
        return []
    return list(zip(chips, numbered(places), strict=True))


def _device(row: dict[str, str], index: int, several: bool) -> AscendDevice:
    name, physical = word(row.get("chip name")), count(row.get("chip phy-id", ""))
    return AscendDevice(
        id=f"{BACKEND}:{index}",
        index=index,
        backend=BACKEND,
        vendor=VENDOR,
        kind="npu",
        name=name,
        npu_id=count(row.get("npu id", "")),
        chip_id=count(row.get("chip id", "")),
        logic_id=count(row.get("chip logic id", "")),
        physical_id=physical,
        slot_id=count(row.get("slot id", "")),
        architecture=family(name, physical is not None and several) if name else None,
    )


READER: Final = Reader(name=_SOURCE, signs=("Chip Logic ID", "Chip Phy-ID", "Chip Name"), read=read)
