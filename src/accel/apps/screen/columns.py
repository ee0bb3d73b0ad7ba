"""Fits table columns into a width: the most important stay, and those that can use more room get it."""

from collections.abc import Mapping, Sequence
from typing import Final

from accel.model.dataclass import dataclass

GAP: Final = 1  # columns between two table columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column.

    least  minimum width; without that much room it is dropped; most: maximum useful width
    keep   priority: columns with a higher value are dropped later
    short  the header to use if the long one does not fit
    fills  it takes the leftover room, and can do with little
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
    """Return the columns that fit, in order, each with its width.

    wants  the width of a column's contents. Each column gets it, up to its `most` and the room available, before a
           less important column gets any; one with `fills` gets its minimum then, and the leftover room at the end
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
