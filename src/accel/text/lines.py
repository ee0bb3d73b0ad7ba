"""Lines of a text, numbered from 1."""

from collections.abc import Iterator
from typing import Final

from accel.text.pattern import pattern

_LONGEST: Final = 1000  # characters: no tool prints longer rows, and matching them is slow
_WITH_UNIT: Final = pattern(r"-?\d+(?:\.\d+)?\s*(?:[KMGT]i?B|[KMG]Hz|m?W|°?C|℃|%)")


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield (number, text) of each line that a tool may have printed; skip lines that are far too long."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) <= _LONGEST:
            yield number, line


def line_at(text: str, offset: int) -> int:
    """Return the line number of a character position."""
    return text.count("\n", 0, offset) + 1


def broken_line(text: str) -> int:
    """Return the number of the last line if no newline ends it, because it may be truncated; otherwise 0."""
    return 0 if text.endswith(("\n", "\r")) else len(text.splitlines())


def whole_amount(value: str) -> bool:
    """Return whether a value at the end of a truncated text is complete, because its unit is there.

    >>> whole_amount("42976 MiB"), whole_amount("429"), whole_amount("GPU-5d0c")
    (True, False, False)
    """
    return bool(_WITH_UNIT.fullmatch(value.strip()))
