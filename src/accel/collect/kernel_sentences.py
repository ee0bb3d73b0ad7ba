"""What the tables' sentences recognise in the kernel's log of a live machine, beside what plugins' readers read. Pure.

    nfs: server storage01 not responding, still trying          blk_update_request: I/O error, dev nvme0n1, sector 4096
Facts   those that specs/system/kernel_log.yaml names; their sentences stand in specs/*/inference, for texts as well
Most of a kernel's warnings concern no accelerator: only lines that hold one of the table's signs are searched.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from accel.model.observation import Noted

if TYPE_CHECKING:
    from accel.specs import Specs

_MOST_LINES: Final = 200  # the newest that hold a sign
_MOST: Final = 40


def told(lines: Sequence[str], specs: "Specs", table: Mapping[str, Any]) -> Iterator[Noted]:
    """Yield the facts that the lines state, each with its line, from 1. table: specs/system/kernel_log."""
    wanted = frozenset(table["facts"])
    held = [number for number, line in enumerate(lines, 1) if holds_sign(line, table)]
    if not held:
        return
    from accel.readers.mechanisms.sentences import recognise
    from accel.readers.page import Page

    held = held[-_MOST_LINES:]
    found = 0
    for one in recognise(Page("\n".join(lines[number - 1] for number in held), specs)):
        if isinstance(one, Noted) and one.fact in wanted and one.line is not None:
            line = held[one.line - 1]
            yield replace(one, line=line, last_line=line, text=lines[line - 1])
            found += 1
            if found == _MOST:
                return


def holds_sign(line: str, table: Mapping[str, Any]) -> bool:
    """Whether a line holds one of the table's signs.

    >>> holds_sign("nfs: server storage01 not responding", {"signs": ["not responding"]})
    True
    """
    lower = line.lower()
    return any(sign in lower for sign in table["signs"])
