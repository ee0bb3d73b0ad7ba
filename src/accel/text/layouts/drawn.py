"""The layout of a table drawn with "|", as a rule states it, and the devices in such a table.

    table:
      title: 'ACME-SMI v?\\d'                    # a line that begins a table of this tool
      own: '\\| *Dev +Name\\b.*Bus'              # first row of a header that only this tool prints
      head: '\\| *Dev +Name\\b'                  # first row of a header, below a title of this tool
      columns:                                  # patterns of the columns' names and values; longer names first
        "Bus-?id": "{bus}"
        "Mem": "{used_of_total}"
        "Util": "(?P<utilization>{percent})"
        "Dev": '(?P<index>\\d{1,3})'
        "Name": '(?P<name>\\S.*?)'
      process: '...'                            # the cell of a process: groups index, pid, name, memory

`{bus}`, `{percent}` and the like are patterns from accel.text.cells; a fact refers to a group of a column by its name.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from accel.model.device import Process
from accel.text import amounts, cells
from accel.text.grid import Layout, Table, tables
from accel.text.layouts.cutting import Said
from accel.text.pattern import pattern

PARTS: Final = ("title", "own", "head", "process")
NO_PROCESSES: Final = "(?!)"
_SLOTS: Final = {f"{{{name.lower()}}}": form for name, form in vars(cells).items() if isinstance(form, str)}
_SLOT: Final = re.compile("|".join(map(re.escape, _SLOTS)))


def spelt_out(form: str) -> str:
    """Expand the names of cell patterns in an expression.

    >>> spelt_out("(?P<fan>{percent})") == f"(?P<fan>{cells.PERCENT})"
    True
    """
    return _SLOT.sub(lambda found: _SLOTS[found[0]], form)


def drawn(stated: Mapping[str, Any], driver: Mapping[str, str], text: str) -> Iterator[tuple[Table, list[Said]]]:
    """Yield each table with its devices. driver: expressions for the lines above a header, by field of Driver."""
    layout = Layout(
        **{part: pattern(stated.get(part, NO_PROCESSES)) for part in PARTS},
        said={field: pattern(form) for field, form in driver.items()},
        columns={name: spelt_out(form) for name, form in stated["columns"].items()},
    )
    for table in tables(text, layout):
        rows = [Said(values=row, processes=_processes(table, index)) for index, row in sorted(table.rows.items())]
        yield table, rows


def _processes(table: Table, index: int) -> tuple[Process, ...] | None:
    """Return a device's processes from the table; None if that section is missing, truncated or unreadable."""
    if table.processes is None:
        return None
    found = tuple(
        Process(
            pid=int(row["pid"]), name=amounts.word(row.get("name")), memory_bytes=amounts.mebibytes(row.get("memory"))
        )
        for row in table.processes
        if int(row["index"]) == index
    )
    return None if table.unread and not found else found
