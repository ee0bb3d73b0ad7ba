"""Tables on narrow terminals: a block a row instead of columns whose words are all broken."""

from typing import Final

from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

_UNBOUNDED: Final = 10_000
_NARROW: Final = 60  # columns: on wider terminals a broken cell here and there is easier to read than blocks


def stacked(table: Table, out: Console) -> RenderableType:
    """Return the table, or on a narrow console that it does not fit a block for each of its rows.

    A block begins with the row's first cell; below it stands each other cell behind the head of its column.
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
