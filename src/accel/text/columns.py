"""Parse rows of tables whose columns are separated by blanks only.

A row with as many cells as the header has names is read in order. If a row has fewer cells, some are blank, and each
remaining cell belongs to the name above it. If that is ambiguous, the row is ignored, so that no value moves into a
neighbouring column.
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
    """The names in a header, in lower case, and the position of each."""

    names: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def row(self, line: str, cell: Pattern = WORDS) -> dict[str, str]:
        """Return a line's non-blank cells by name; {} if it is no row or is ambiguous.

        >>> head = columns("NPU   Power   Temp", WORDS)
        >>> head.row("0     70.1    41") == {"npu": "0", "power": "70.1", "temp": "41"}, head.row("0             41")
        (True, {'npu': '0', 'temp': '41'})
        """
        cells = list(cell.finditer(line.expandtabs()))
        if len(cells) == len(self.names):
            return dict(zip(self.names, (found[0] for found in cells), strict=True))
        return self.below(cells)

    def below(self, cells: "Iterable[re.Match[str]]") -> dict[str, str]:
        """Return the cells by the names above them; {} if a cell is below two names, or two cells are below one."""
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
    """Return the columns of a header. `name` matches one column name; if it has a group, the group is the name."""
    found = list(name.finditer(head.expandtabs()))
    names = tuple((match[1] if match.re.groups else match[0]).strip().lower() for match in found)
    return Columns(names, tuple(match.span() for match in found))
