"""Rows of tables in which nothing but blanks separates the columns.

A row with as many cells as the head has names is read in order. In one with fewer a cell is blank, and each of the
others belongs to the name above it; where that is not plain, the row tells nothing: no value moves into its
neighbour's column.
"""

import re
from collections.abc import Iterable
from typing import Final

from accel.model.dataclass import dataclass
from accel.text.pattern import Pattern, pattern

WORDS: Final = pattern(r"\S+")
WIDE: Final = pattern(r"\S+(?: \S+)*")  # cells that hold single blanks


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of a header, lower case, and the position of each in its line."""

    names: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def row(self, line: str, cell: Pattern = WORDS) -> dict[str, str]:
        """Return a line's cells by name, without those that are blank; {} if it is no row, or not plainly one.

        >>> head = columns("NPU   Power   Temp", WORDS)
        >>> head.row("0     70.1    41") == {"npu": "0", "power": "70.1", "temp": "41"}, head.row("0             41")
        (True, {'npu': '0', 'temp': '41'})
        """
        cells = list(cell.finditer(line.expandtabs()))
        if len(cells) == len(self.names):
            return dict(zip(self.names, (found[0] for found in cells), strict=True))
        return self.below(cells)

    def below(self, cells: "Iterable[re.Match[str]]") -> dict[str, str]:
        """Return the cells by the names that they stand under; {} where one stands under two, or two under one."""
        row: dict[str, str] = {}
        for found in cells:
            above = [
                name
                for name, (start, end) in zip(self.names, self.spans, strict=True)
                if start < found.end() and found.start() < end
            ]
            if len(above) != 1 or above[0] in row:
                return {}
            row[above[0]] = found[0]
        return row


def columns(head: str, name: Pattern) -> Columns:
    """Return the columns of a head, by the form of their names; a group of the form is what is kept of a name."""
    found = list(name.finditer(head.expandtabs()))
    names = tuple((match[1] if match.re.groups else match[0]).strip().lower() for match in found)
    return Columns(names, tuple(match.span() for match in found))
