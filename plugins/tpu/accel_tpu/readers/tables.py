"""Rows of tpu-info's tables: Rich boxes up to 0.8, Markdown from 0.9.

    ┏━━━━━━━━━━━━━┳━━━━━━━━━━━━━━┓          | Chip        | Type         |
    ┃ Chip        ┃ Type         ┃          |-------------|--------------|
    ┡━━━━━━━━━━━━━╇━━━━━━━━━━━━━━┩          | /dev/vfio/0 | TPU v6e chip |
    │ /dev/vfio/0 │ TPU v6e chip │
    └─────────────┴──────────────┘

A narrow terminal wraps a cell into further rows, whose first cell is then empty, and never all the
others filled.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from accel.model.dataclass import dataclass
from accel.text.pattern import pattern

_EDGES: Final = pattern("[|│┃║]")
_RULE: Final = pattern(r"^[\s|+:=\-\u2500-\u257f]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table: the header's cells in lower case, the rows' cells, and its first line in the text, counted from 1."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    line: int


def tables(text: str, is_header: Callable[[Sequence[str]], bool]) -> Iterator[Table]:
    """Yield the tables whose header `is_header` accepts, each up to the first line that is not a row."""
    header: tuple[str, ...] | None = None
    rows: list[list[str]] = []
    begun = 0
    for number, line in enumerate(text.splitlines(), 1):
        cells = _cells(line)
        low = tuple(cell.lower() for cell in cells)
        if cells and is_header(low):
            if header is not None:
                yield _table(header, rows, begun)
            header, rows, begun = low, [], number
        elif header is None or (_RULE.match(line) and line.strip()):
            continue
        elif not cells:
            yield _table(header, rows, begun)
            header = None
        elif rows and not cells[0] and len(cells) == len(rows[-1]) and not (len(cells) > 2 and all(cells[1:])):
            rows[-1] = [f"{above} {below}".strip() for above, below in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(list(cells))
    if header is not None:
        yield _table(header, rows, begun)


def _table(header: tuple[str, ...], rows: list[list[str]], line: int) -> Table:
    return Table(header=header, rows=tuple(tuple(row) for row in rows), line=line)


def _cells(line: str) -> tuple[str, ...]:
    """Return the cells of a line, without the outer edges; () without edges. A truncated line keeps its cells."""
    parts = [part.strip() for part in _EDGES.split(line)]
    if len(parts) < 2 or parts[0]:
        return ()
    return tuple(parts[1:-1] if not parts[-1] else parts[1:])
