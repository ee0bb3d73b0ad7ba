"""Parses tables of link types, as printed by rocm-smi, amd-smi and similar tools.

    ======================= Link Type between two GPUs =======================
           GPU0         GPU1
    GPU0   0            XGMI
    GPU1   XGMI         0

Rows with a cell that is not a link type are skipped; anything else below the table ends it.
"""

from collections.abc import Mapping
from typing import Final

from accel.model.dataclass import dataclass
from accel.model.wiring import Link
from accel.text.lines import lines_of
from accel.text.pattern import Pattern, pattern

_WORD: Final = pattern(r"0|SELF|XGMI|PCIE")
_SELF: Final = ("0", "SELF")


@dataclass(frozen=True, slots=True)
class LinkTable:
    """One table: the names of its columns, the cells of each row, its lines."""

    names: tuple[str, ...]
    rows: Mapping[str, tuple[str, ...]]
    lines: tuple[int, ...]

    def links(self, ids: Mapping[str, str]) -> tuple[Link, ...]:
        """Return each pair once. ids: the device of each column."""
        found: dict[frozenset[str], Link] = {}
        for row, cells in self.rows.items():
            for column, cell in zip(self.names, cells, strict=True):
                if row != column and cell.upper() not in _SELF:
                    pair = frozenset((row, column))
                    found.setdefault(pair, Link(one=ids[row], other=ids[column], path=cell.upper()))
        return tuple(found.values())


def link_table(text: str, title: Pattern, name: Pattern) -> LinkTable | None:
    """Return the first table with such a title and such column names; None if there is none with a row."""
    names: list[str] = []
    rows: dict[str, tuple[str, ...]] = {}
    lines: list[int] = []
    waits = False
    for number, line in lines_of(text):
        words = line.split()
        if title.search(line):
            waits = True
        elif waits and words and all(name.fullmatch(word) for word in words):
            names, waits = words, False
            lines.append(number)
        elif names and len(words) == len(names) + 1 and words[0] in names:
            if all(_WORD.fullmatch(word) for word in words[1:]) and words[1 + names.index(words[0])].upper() in _SELF:
                rows.setdefault(words[0], tuple(words[1:]))
                lines.append(number)
        elif words and names:
            break
    return LinkTable(tuple(names), rows, tuple(lines)) if rows else None
