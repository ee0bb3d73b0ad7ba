"""The lines of a text, numbered from 1."""

from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern

_LONGEST: Final = 1000  # characters: a longer line is no row of any tool, and slow to compare with forms
_WITH_UNIT: Final = pattern(r"-?\d+(?:\.\d+)?\s*(?:[KMGT]i?B|[KMG]Hz|m?W|°?C|℃|%)")


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line that may be a tool's; far longer ones are left out."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) <= _LONGEST:
            yield number, line


def line_at(text: str, offset: int) -> int:
    """Return the number of the line in which a character stands."""
    return text.count("\n", 0, offset) + 1


def broken_line(text: str) -> int:
    """Return the number of the line that the text breaks off in; 0 if a line end follows the last."""
    return 0 if text.endswith(("\n", "\r")) else len(text.splitlines())


def whole_amount(value: str) -> bool:
    """Say whether a value that a text breaks off in is whole nevertheless: its unit is there.

    >>> whole_amount("42976 MiB"), whole_amount("429"), whole_amount("GPU-5d0c")
    (True, False, False)
    """
    return bool(_WITH_UNIT.fullmatch(value.strip()))
