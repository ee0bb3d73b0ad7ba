"""`npu-smi info -m`: which number a chip has in each of the counts.

    NPU ID      Chip ID     Chip Logic ID    Chip Phy-ID    Chip Name
    0           0           0                0              Ascend910
    0           1           -                -              Mcu

Seen   22.0 to 25.7: without Chip Phy-ID on older tools; on 950 "Slot ID" and no logic id. "Mcu" is no chip.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Report
from accel.text.amounts import count, word
from accel.text.pattern import pattern
from accel_ascend.chips import BACKEND, VENDOR, family
from accel_ascend.model import AscendDevice

_SOURCE: Final = "npu-smi info -m"
_COLUMNS: Final = pattern(r"NPU ID|Slot ID|Chip ID|Chip Logic ID|Chip Phy-?ID|Chip Name")


def read(text: str) -> Iterator[Reading]:
    """Yield one reading a table of the text."""
    columns: list[str] = []
    rows: list[dict[str, str]] = []
    first_line = 0
    for number, raw in enumerate([*text.splitlines(), ""], 1):
        line = raw.strip()
        names = _COLUMNS.findall(line)
        if len(names) >= 3 and names[0] == "NPU ID":
            yield from _reading(rows, first_line)
            columns, rows, first_line = [n.lower().replace("phyid", "phy-id") for n in names], [], number
            continue
        cells = re.split(r"\s{2,}|\t+", line, maxsplit=max(0, len(columns) - 1)) if columns and line else []
        if columns and len(cells) != len(columns):
            cells = line.split(None, len(columns) - 1)
        if len(cells) == len(columns) > 0 and count(cells[0]) is not None:
            rows.append(dict(zip(columns, cells, strict=True)))
        elif columns and line:
            yield from _reading(rows, first_line)
            columns, rows = [], []
    if rows and not text.endswith("\n") and not _is_whole(rows):
        rows.pop()
    yield from _reading(rows, first_line)


def _is_whole(rows: list[dict[str, str]]) -> bool:
    """Whether the name that ends the last row, and the text, is one: a cut name would place its chip elsewhere."""
    *before, last = (row.get("chip name", "").strip() for row in rows)
    return last in before or last.lower() == "mcu" or family(last, True) is not None


def _reading(rows: list[dict[str, str]], first_line: int) -> Iterator[Reading]:
    chips = [r for r in rows if r.get("chip name", "").strip().lower() not in ("mcu", "")]
    chips = [r for r in chips if count(r.get("chip id", "")) is not None]
    if not chips:
        return
    most = 1 + max(int(r["chip id"]) for r in chips)
    devices: dict[int, AscendDevice] = {}
    for row in chips:
        device = _device(row, most)
        devices.setdefault(device.index, device)
    report = Report(backend=BACKEND, source=_SOURCE, trust=58, devices=tuple(devices.values()))
    yield Reading(source=_SOURCE, reports=(report,), first_line=first_line)


def _device(row: dict[str, str], most: int) -> AscendDevice:
    name = row["chip name"].strip()
    npu_id, chip_id = int(row["npu id"]), int(row["chip id"])
    logic, physical = count(row.get("chip logic id", "")), count(row.get("chip phy-id", ""))
    index = physical
    if index is None and logic is not None and re.match(r"(Ascend ?)?310", name, re.IGNORECASE):
        index = logic  # what the table of these cards calls "Device"
    if index is None:
        index = npu_id if most == 1 else npu_id * most + chip_id
    return AscendDevice(
        id=f"{BACKEND}:{index}",
        index=index,
        backend=BACKEND,
        vendor=VENDOR,
        kind="npu",
        name=word(name),
        npu_id=npu_id,
        chip_id=chip_id,
        logic_id=logic,
        physical_id=physical,
        slot_id=count(row.get("slot id", "")),
        architecture=family(name, physical is not None and most > 1),
    )


READER: Final = Reader(name=_SOURCE, signs=("Chip Logic ID", "Chip Phy-ID", "Chip Name"), read=read)
