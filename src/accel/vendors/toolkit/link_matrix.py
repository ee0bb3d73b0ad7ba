"""Parses the link matrix that many vendors' tools print in the style of `nvidia-smi topo -m`.

            GPU0    GPU1    NIC0    CPU Affinity    NUMA Affinity   GPU NUMA ID
    GPU0     X      NV18    PXB     0-51,104-155    0               N/A
    GPU1    NV18     X      SYS     0-51,104-155    0               N/A
    NIC0    PXB     SYS      X
    NIC Legend:
      NIC0: mlx5_0

Truncated rows, and rows with a cell that is not valid in such a matrix, are skipped. What follows the links is kept as
it is: columns may be empty there, so positions mean nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import dataclass, field
from accel.model.report import Report
from accel.model.wiring import Link
from accel.text.lines import lines_of
from accel.text.pattern import Pattern, pattern
from accel.vendors.contract.backend import Reading

if TYPE_CHECKING:
    from accel.vendors.contract.vendor import Vendor

_ESCAPE: Final = pattern(r"\x1b\[\d{0,2}m")
_LEGEND: Final = pattern(r"^\s*(NIC\d{1,3})\s*:\s*([\w.-]{1,40})\s*$")
_NUMBERED: Final = pattern(r"(?:[A-Za-z][A-Za-z_-]{0,20}?)(\d{1,4})")
_MOST: Final = 1024  # columns
SELF: Final = "X"


@dataclass(slots=True)
class Matrix:
    """One matrix. rows: the cells of each row; after: the words that follow them. cards: "NIC0" to its name, "mlx5_0".

    header_end   what follows the columns in the header, in lower case: "cpu affinity numa affinity"
    """

    columns: tuple[str, ...]
    first_line: int
    last_line: int
    header_end: str = ""
    rows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    after: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cards: dict[str, str] = field(default_factory=dict)


def matrices(text: str, device: str, words: Pattern) -> Iterator[Matrix]:
    """Yield the matrices whose first column is the first of these devices, "GPU" or "NPU".

    words  pattern for a whole cell: a row with any other cell is not this vendor's
    """
    current: Matrix | None = None
    for number, raw in lines_of(text):
        line = _ESCAPE.sub("", raw)
        cells = line.split()
        first = _spelt(cells[0], device) if cells else ""
        if first == f"{device}0" and (columns := _columns(cells, device)):
            if current is not None:
                yield current
            current = Matrix(columns, number, number, " ".join(cells[len(columns) :]).lower())
        elif current is not None and first in current.columns and first not in current.rows:
            _take(current, number, first, cells, words)
        elif current is not None and (card := _LEGEND.match(line)) and card[1].upper() in current.columns:
            current.cards[card[1].upper()] = card[2]
            current.last_line = number
    if current is not None:
        yield current


def links(matrix: Matrix, name_of: Callable[[str], str | None]) -> tuple[Link, ...]:
    """Return each pair in the matrix once. name_of: returns the device id of a column, None for a network card."""
    found: dict[frozenset[str], Link] = {}
    for row, cells in matrix.rows.items():
        for column, cell in zip(matrix.columns, cells, strict=True):
            pair = tuple(name_of(name) or matrix.cards.get(name, name) for name in (row, column))
            if row != column and cell.upper() != SELF and pair[0] != pair[1]:
                found.setdefault(frozenset(pair), Link(one=pair[0], other=pair[1], path=cell.upper()))
    return tuple(found.values())


def numa_node(matrix: Matrix, name: str) -> int | None:
    """Return the NUMA node in a row, if the header shows that it comes first or after the CPUs."""
    cells = matrix.after[name]
    if matrix.header_end.startswith("node affinity"):
        found = cells[:1]
    elif matrix.header_end.startswith("cpu affinity numa affinity") and cells and "-" in cells[0]:
        found = cells[1:2]
    else:
        return None
    return int(found[0]) if found and found[0].isdecimal() and len(found[0]) < 4 else None


def matrix_readings(text: str, vendor: "Vendor[Any]", source: str, device: str, words: Pattern) -> Iterator[Reading]:
    """Yield a reading per matrix of a vendor: a device for each row, with its NUMA node, and the links."""
    for matrix in matrices(text, device, words):
        numbered = {name: number_of(name) for name in matrix.rows if name.startswith(device)}
        devices = tuple(
            vendor.device(number, numa_node=numa_node(matrix, name))
            for name, number in numbered.items()
            if number is not None
        )
        if devices:
            joined = links(matrix, ids(device, None, vendor.name))
            report = Report(backend=vendor.name, source=source, trust=30, devices=devices, links=joined)
            yield Reading(
                source=source, reports=(report,), first_line=matrix.first_line + 1, last_line=matrix.last_line
            )


def number_of(name: str) -> int | None:
    """Return the number in a column's name: 3 for "GPU3"."""
    found = _NUMBERED.fullmatch(name)
    return int(found[1]) if found else None


def ids(device: str, of: Mapping[int, int] | None, backend: str) -> Callable[[str], str | None]:
    """Return a function that returns the device id of a column. of: maps column numbers to indices, if they differ."""

    def name_of(column: str) -> str | None:
        number = number_of(column)
        if number is None or not column.startswith(device):
            return None
        return f"{backend}:{number if of is None else of.get(number, number)}"

    return name_of


def _spelt(name: str, device: str) -> str:
    """Return a column's name in the tools' spelling, whatever its case in the text."""
    return name.upper() if name.upper().startswith((device.upper(), "NIC")) and device.isupper() else name


def _columns(words: list[str], device: str) -> tuple[str, ...]:
    """Return the names of a header's columns, which must be followed by the CPU column; () if it is not a header."""
    found: list[str] = []
    for word in words:
        if word.lower() in ("cpu", "numa", "node"):
            return tuple(found) if len(found) <= _MOST else ()
        if not any(sign.isdecimal() for sign in word) or word in found:
            return ()
        found.append(_spelt(word, device))
    return ()


def _take(matrix: Matrix, number: int, name: str, row: list[str], words: Pattern) -> None:
    cells = row[1 : 1 + len(matrix.columns)]
    if len(cells) < len(matrix.columns) or not all(words.fullmatch(cell) for cell in cells):
        return
    if cells[matrix.columns.index(name)].upper() != SELF:
        return
    matrix.rows[name] = tuple(cells)
    matrix.after[name] = tuple(row[1 + len(cells) :])
    matrix.last_line = number
