"""The lines of `npu-smi info`, sorted into tables, chips and processes; see smi_table for what they look like."""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import dataclass, field
from accel.text.amounts import word
from accel.text.columns import Columns, columns
from accel.text.pattern import pattern
from accel_ascend.readers.cells import is_health_word
from accel_ascend.readers.smi_processes import ProcessSection

_TITLE: Final = pattern(r"^[|\s]*npu-smi\s+(?:v)?(\S+)\s+Version\s*:\s*([^\s|]+)")
_COLUMN: Final = pattern(r"([A-Za-z][^()|]*)\([^()|]*\)")
_BUS: Final = pattern(r"([0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]|NA|N/A|-")
_NAME: Final = pattern(r"(Ascend ?)?(310|610|910|950|350)\S*|xxx", re.IGNORECASE)
_UNREAD: Final = pattern(r"N/?A|ERR!|\d{7,24}|")
_IDLE: Final = pattern(r"No running processes found in NPU\s+(\d{1,6})\b")


@dataclass(slots=True, kw_only=True)
class Chip:
    """The two lines of one chip, as printed. second None: the table ended before the second line.

    npu_id          None if unreadable
    first, second   the cells with figures, with their leading spaces
    *_closed        False: the line is truncated, so its last figure may be too
    """

    npu_id: int | None
    name: str
    health: str
    first: str = ""
    first_closed: bool = False
    chip_id: int | None = None
    second_id: str | None = None
    bus_id: str | None = None
    second: str | None = None
    second_closed: bool = False


@dataclass(slots=True, kw_only=True)
class Table:
    """One table. id_column: "phy-id", "device", or None if there is none; columns None without a header."""

    tool_version: str | None = None
    driver_version: str | None = None
    first_columns: Columns | None = None
    second_columns: Columns | None = None
    id_column: str | None = None
    chips: list[Chip] = field(default_factory=list)
    processes: ProcessSection = field(default_factory=ProcessSection)
    awaited: bool = False  # the second line of the last chip may follow
    first_line: int = 0
    last_line: int = 0


def tables(text: str) -> Iterator[Table]:
    """Yield the tables of a text; a title, or a header after rows, starts one."""
    table: Table | None = None
    for line_number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        title = _TITLE.match(line)
        if title or (_is_header(line) and table is not None and table.chips):
            if table is not None:
                yield table
            table = Table(first_line=line_number)
            if title:
                table.tool_version, table.driver_version = word(title[1]), word(title[2])
        if line.startswith("+"):
            if table is not None:
                table.awaited = False  # the following lines are another chip's
                if "=" in line:
                    table.processes.close()
            continue
        if title or not line.startswith("|"):
            continue
        if table is None:
            table = Table(first_line=line_number)
        if _take(table, line):
            table.last_line = line_number
    if table is not None:
        yield table


def _is_header(line: str) -> bool:
    low = line.lower()
    return line.startswith("|") and "name" in low and "health" in low and "process" not in low


def _take(table: Table, line: str) -> bool:
    """Add one line to the table; return whether it belongs there."""
    parts = line[1:].split("|")
    closed = len(parts) > 1 and not parts[-1].strip()
    drawn = parts[:-1] if closed else parts
    cells = [part.strip() for part in drawn]
    if idle := _IDLE.search(line):
        table.processes.idle(int(idle[1]))
        return True
    if any("process id" in cell.lower() for cell in cells):
        table.processes.columns = tuple(cell.lower() for cell in cells)
        return True
    if _is_header(line):
        table.first_columns = columns(drawn[-1], _COLUMN)
        return True
    if any(cell.lower() == "bus-id" for cell in cells):
        table.second_columns = columns(drawn[-1], _COLUMN)
        words = cells[0].split()
        table.id_column = words[1].lower() if len(words) > 1 else None
        return True
    if table.processes.columns:
        return table.processes.row(cells, closed)
    if _second_line(table, cells, drawn, closed):  # first: "NA" is a bus id and a health
        table.awaited = False
        return True
    table.awaited = _first_line(table, cells, drawn, closed)
    return table.awaited


def _first_line(table: Table, cells: list[str], drawn: list[str], closed: bool) -> bool:
    own_name_cell = len(cells) > 2 and cells[0].isdecimal()
    if own_name_cell:
        number, name, rest = cells[0], cells[1], cells[2:]
    else:
        number, _, name = cells[0].partition(" ")
        rest = cells[1:]
    if _NAME.fullmatch(cells[0]):
        number, name = "", cells[0]
    plain = number.isascii() and number.isdecimal() and len(number) <= 6
    unread = not own_name_cell and bool(_NAME.fullmatch(name.strip())) and _UNREAD.fullmatch(number)
    if not (plain or unread) or not name.strip() or not rest:
        return False
    if len(rest) == 1 and not closed:  # the line is truncated within the health
        return False
    known = is_health_word(rest[0]) and (table.first_columns or _NAME.fullmatch(name.strip()))
    if not known and not (table.first_columns and rest[0].isalpha() and len(rest) == 2):
        return False
    chip = Chip(npu_id=int(number) if plain else None, name=name.strip(), health=rest[0])
    if len(rest) > 1:
        chip.first, chip.first_closed = drawn[len(cells) - len(rest) + 1], closed or len(rest) > 2
    table.chips.append(chip)
    return True


def _second_line(table: Table, cells: list[str], drawn: list[str], closed: bool) -> bool:
    if not table.awaited:
        return False
    chip = table.chips[-1]
    own_name_cell = len(cells) > 2 and not cells[0] and not cells[1]
    ids, rest = ([], cells[2:]) if own_name_cell else (cells[0].split(), cells[1:])
    if not own_name_cell and not (1 <= len(ids) <= 2 and ids[0].isdecimal() and len(ids[0]) <= 6):
        return False
    if not rest or (len(rest) == 1 and not closed) or not _BUS.fullmatch(rest[0]):
        return False
    if ids:
        chip.chip_id = int(ids[0])
        chip.second_id = ids[1] if len(ids) > 1 else None
    chip.bus_id = rest[0]
    chip.second, chip.second_closed = (
        (drawn[len(cells) - len(rest) + 1], closed or len(rest) > 2) if len(rest) > 1 else ("", True)
    )
    return True
