"""Tables on narrow terminals: one block per row instead of columns with every word broken."""

from collections.abc import Sequence
from typing import Final

from rich import box
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

_UNBOUNDED: Final = 10_000
_NARROW: Final = 60  # columns: on wider terminals an occasional wrapped cell is easier to read than blocks


def table_of(words: Sequence[str], numbers: Sequence[str] = ()) -> Table:
    """Return a table with these columns: words, which may be folded, then numbers, on the right and never wrapped."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in words:
        table.add_column(head, overflow="fold")
    for head in numbers:
        table.add_column(head, justify="right", no_wrap=True)
    return table


def stacked(table: Table, out: Console) -> RenderableType:
    """Return the table, or one block per row if it does not fit a narrow console.

    A block starts with the row's first cell; the other cells follow below, each after its column header.
    """
    if out.width >= _NARROW or Measurement.get(out, out.options.update(width=_UNBOUNDED), table).maximum <= out.width:
        return table
    blocks = Table.grid()
    blocks.add_column(overflow="fold")
    columns = [(str(column.header), tuple(column.cells)) for column in table.columns]
    for number in range(table.row_count):
        first, *others = [(head, cells[number]) for head, cells in columns]
        blocks.add_row(Text.assemble(_text(first[1]), style="bold"))
        for head, cell in others:
            line = Text.assemble((f"{head} ", "dim"), _text(cell)) if head else _text(cell)
            blocks.add_row(Padding(line, (0, 0, 0, 2), expand=False))
    return blocks


def _text(cell: RenderableType) -> Text:
    return cell if isinstance(cell, Text) else Text(str(cell))
