"""Parse tables drawn with "|", using the column names in their own headers.

Each cell of a header is a list of column names. A name determines the form of its values, so the order, number and
width of the columns may differ between versions. A device takes as many rows as the header has. Only cells closed by a
"|" count, and above the header only values followed by more text, because a truncated line may end in half a number.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from accel.model.dataclass import dataclass, field
from accel.text.lines import lines_of
from accel.text.pattern import Pattern, pattern

_RULE: Final = pattern(r"[=-]{3}")
_DRAWN: Final = " \t|+=-"
_OTHER_TOOL: Final = pattern(r"\b[A-Z]{2,12}[-_ ]?(?:SMI|ML|GMI)\b[^|]{0,200}?\d\.\d|\bCNMON\b")
_PROCESSES: Final = pattern(r"\s*Process(?:es)?\s*:")
_NO_PROCESS: Final = pattern(r"(?i)\bno (?:running )?process(?:es)? found")
_MOST_COLUMNS: Final = 10  # maximum per cell; a header has no more


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How a tool draws its tables.

    title    a line that begins a table of this tool
    said     values in the lines above the header, by name: expressions with one group
    own      first row of a header that only this tool prints, with or without a title above
    head     first row of a header, below a title of this tool
    columns  patterns of column names, and of their values with named groups; longer names first
    process  the cell of a process: groups index, pid, name, memory
    """

    title: Pattern
    said: Mapping[str, Pattern]
    own: Pattern
    head: Pattern
    columns: Mapping[str, str]
    process: Pattern


@dataclass(slots=True)
class Table:
    """One table as it was printed: rows and processes contain texts by group name.

    processes  None if the section is missing or truncated
    unread     whether a row of the processes is unreadable: a device without rows may have processes
    """

    first_line: int
    last_line: int
    said: dict[str, str] = field(default_factory=dict)
    rows: dict[int, dict[str, str]] = field(default_factory=dict)
    processes: list[dict[str, str]] | None = None
    unread: bool = False


class _Reading:
    """Parser state for one table, fed line by line."""

    def __init__(self, layout: Layout, number: int, said: dict[str, str]) -> None:
        self.table = Table(first_line=number, last_line=number, said=dict(said))
        self.header: list[list[re.Pattern[str] | None]] = []
        self._layout = layout
        self._in_header = False
        self._next = 0
        self._index: int | None = None
        self._held: list[dict[str, str]] | None = None
        self._in_body = False

    def begin_header(self, line: str) -> None:
        self.header = [[_cell_form(cell, self._layout.columns) for cell in _closed_cells(line)]]
        self._in_header, self._next, self._index = True, 0, None

    def repeats(self, line: str) -> bool:
        """Return whether the line begins a device that the table already has, and so another table."""
        first = self._first_row(_closed_cells(line)) if self._held is None and not self._in_header else None
        return first is not None and int(first["index"]) in self.table.rows

    def take(self, line: str) -> bool:
        """Parse one line; return False if it contains nothing usable."""
        if not line.strip(_DRAWN) and _RULE.search(line):
            self._rule(line)
            return True
        cells = _closed_cells(line)
        if not cells:
            return False
        if len(cells) == 1 and _PROCESSES.match(cells[0]):
            self._held, self._in_body = [], False
            return True
        if self._held is not None:
            return self._process(cells)
        if self._in_header:
            self.header.append([_cell_form(cell, self._layout.columns) for cell in cells])
            return True
        return self._row(cells)

    def _rule(self, line: str) -> None:
        self._in_header, self._next = False, 0
        if self._held is not None:
            if self._in_body and "=" not in line:
                self.table.processes, self._held = self._held, None
            self._in_body = self._in_body or "=" in line

    def _process(self, cells: list[str]) -> bool:
        assert self._held is not None
        found = self._layout.process.match(cells[0])
        if found:
            self._held.append({k: v for k, v in found.groupdict().items() if v})
        elif _NO_PROCESS.search(cells[0]):
            self.table.processes, self._held = [], None
        elif self._in_body and any(sign.isdecimal() for sign in cells[0]):
            self.table.unread = True
        return True

    def _first_row(self, cells: list[str]) -> dict[str, str] | None:
        facts = _facts(cells, self.header[0]) if self.header else {}
        if "index" not in facts or "bus" not in facts:
            return None
        awaited = 0 < self._next < len(self.header)  # another row of the device: its cells may look like these
        return facts if ":" in facts["bus"] or not awaited else None

    def _row(self, cells: list[str]) -> bool:
        first = self._first_row(cells)
        if first is not None:
            self._index, self._next = int(first["index"]), 1
            self.table.rows[self._index] = first
            return True
        if self._index is None or not 0 < self._next < len(self.header):
            return False
        facts = _facts(cells, self.header[self._next])
        for name, value in facts.items():
            self.table.rows[self._index].setdefault(name, value)
        # After an unreadable row the owner of the next row is unknown.
        self._next = self._next + 1 if facts or any(self.header[self._next]) is False else len(self.header)
        return True


def tables(text: str, layout: Layout) -> Iterator[Table]:
    """Yield every table of the tool in the text."""
    reading: _Reading | None = None
    titled = False
    for number, line in lines_of(text):
        if layout.title.search(line):
            if reading is not None and reading.header:
                yield reading.table
                reading = None
            titled = True
            reading = reading or _Reading(layout, number, {})
        elif _OTHER_TOOL.search(line):
            if reading is not None:
                yield reading.table
            reading, titled = None, False
            continue
        if layout.own.search(line) or (titled and layout.head.search(line)):
            if reading is not None and reading.header:
                yield reading.table
                reading = None
            reading = reading or _Reading(layout, number, {})
            reading.begin_header(line)
        elif reading is not None and not reading.header:
            for name, form in layout.said.items():
                if (found := form.search(line)) and not _breaks_off(line, found.end()):
                    reading.table.said[name] = found[1]
        elif reading is not None:
            if reading.repeats(line):
                yield reading.table
                header, said = reading.header, reading.table.said
                reading = _Reading(layout, number, said)
                reading.header = header
            if reading.take(line):
                reading.table.last_line = number
    if reading is not None:
        yield reading.table


def _breaks_off(line: str, place: int) -> bool:
    """Return whether a drawn line ends where its own "|" should be."""
    return line.lstrip().startswith("|") and place >= len(line.rstrip())


def _closed_cells(line: str) -> list[str]:
    return line.split("|")[1:-1]


def _cell_form(heading: str, columns: Mapping[str, str]) -> re.Pattern[str] | None:
    """Return the pattern of the cells below a heading; None if the heading is empty or not recognised."""
    names = re.compile("|".join(f"(?:{name})(?![\\w-])" for name in columns) + r"|\S+", re.IGNORECASE)
    found = names.findall(heading)
    if not found or len(found) > _MOST_COLUMNS:
        return None
    forms: list[str] = []
    for name in found:
        form = next((value for key, value in columns.items() if re.fullmatch(key, name, re.IGNORECASE)), r"\S+")
        forms.append(r"\S+" if form in forms else form)
    return re.compile(r"\s*" + r"\s+".join(forms) + r"\s*", re.IGNORECASE)


def _facts(cells: list[str], forms: list[re.Pattern[str] | None]) -> dict[str, str]:
    facts: dict[str, str] = {}
    for cell, form in zip(cells, forms, strict=False):
        found = form.fullmatch(cell) if form is not None else None
        if found:
            facts.update({k: v for k, v in found.groupdict().items() if v})
    return facts
