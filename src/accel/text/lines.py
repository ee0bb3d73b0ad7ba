"""The lines of a text, numbered from 1."""

from collections.abc import Iterator
from typing import Final

_LONGEST: Final = 1000  # characters: a longer line is no row of any tool, and slow to compare with forms


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line that may be a tool's; far longer ones are left out."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) <= _LONGEST:
            yield number, line
