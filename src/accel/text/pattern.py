"""Regular expressions that are compiled on first use and ignore case.

A command that reads one report imports every reader but uses few of them. Compiling all their expressions would take
longer than everything else. Case is ignored because people paste text in any case; a reader may rely on case only if
it must.
"""

import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Final

_IGNORE_CASE: Final = int(re.IGNORECASE)


class Pattern:
    """A lazily compiled replacement for re.compile(text, flags | re.IGNORECASE)."""

    def __init__(self, text: str, flags: int) -> None:
        self.pattern = text
        self.flags = flags

    @cached_property
    def compiled(self) -> "re.Pattern[str]":
        from accel.text.cached_patterns import compiled

        return compiled(self.pattern, self.flags)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> "re.Match[str] | None":
        return self.compiled.search(text, start, end)

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> "re.Match[str] | None":
        return self.compiled.match(text, start, end)

    def fullmatch(self, text: str) -> "re.Match[str] | None":
        return self.compiled.fullmatch(text)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> "Iterator[re.Match[str]]":
        return self.compiled.finditer(text, start, end)

    def findall(self, text: str) -> list[Any]:
        return self.compiled.findall(text)

    def split(self, text: str, most: int = 0) -> "list[str | Any]":
        return self.compiled.split(text, most)

    def sub(self, replacement: "str | Callable[[re.Match[str]], str]", text: str, count: int = 0) -> str:
        return self.compiled.sub(replacement, text, count)


def pattern(text: str, flags: int = 0, *, exact_case: bool = False) -> Pattern:
    """Return an expression that is compiled on first use. exact_case: set it if case distinguishes two things."""
    return Pattern(text, flags if exact_case else flags | _IGNORE_CASE)
