"""Columns of a table, as many as a width takes: those that matter most stay, and what can use more room gets it."""

from collections.abc import Mapping, Sequence
from typing import Final

from accel.model.dataclass import dataclass

GAP: Final = 1  # columns between two


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column.

    least  columns of the screen without which it is left out; most: those that it can use
    keep   the higher, the longer it stays on a narrow screen
    short  the head where the long one does not fit
    fills  it uses what others leave, and can do with little
    """

    name: str
    head: str
    least: int
    keep: int
    most: int = 0
    short: str = ""
    right: bool = True
    fills: bool = False

    def head_in(self, width: int) -> str:
        return self.head if len(self.head) <= width else self.short or self.head


Widths = tuple[tuple[Column, int], ...]


def placed(columns: Sequence[Column], width: int, wants: Mapping[str, int]) -> Widths:
    """Return the columns that fit, in their order, each with its width.

    wants  how much a column's contents take. Each column gets it, up to its most and as far as there is room, before
           one that matters less gets a place at all; one with `fills` gets its least then, and what is left at the end
    """
    sizes: dict[str, int] = {}
    left = width + GAP
    for one in sorted(columns, key=lambda one: -one.keep):
        wanted = one.least if one.fills else max(one.least, min(wants.get(one.name, 0), one.most))
        size = max(one.least, min(wanted, left - GAP))
        if size + GAP <= left or not sizes:
            sizes[one.name] = min(size, width)
            left -= size + GAP
    shown = [one for one in columns if one.name in sizes]
    for one in sorted(shown, key=lambda one: -one.keep):
        more = min(left, max(wants.get(one.name, 0), len(one.head)) - sizes[one.name], one.most - sizes[one.name])
        if more > 0:
            sizes[one.name] += more
            left -= more
    return tuple((one, sizes[one.name]) for one in shown)
