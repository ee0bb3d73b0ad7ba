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


class SignedPattern(Pattern):
    """An expression of which every match contains one of a few strings: a text without them is not searched.

    Looking for a string takes a hundredth of the time of an expression with many alternatives.
    """

    def __init__(self, text: str, flags: int, signs: str) -> None:
        super().__init__(text, flags)
        self.signs = signs.split("|")

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> "re.Match[str] | None":
        return self.compiled.search(text, start, end) if self._may_match(text) else None

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> "Iterator[re.Match[str]]":
        return self.compiled.finditer(text, start, end) if self._may_match(text) else iter(())

    def sub(self, replacement: "str | Callable[[re.Match[str]], str]", text: str, count: int = 0) -> str:
        return self.compiled.sub(replacement, text, count) if self._may_match(text) else text

    def _may_match(self, text: str) -> bool:
        lower = lowered(text)
        for sign in self.signs:  # noqa: SIM110  in a third of the time of any()
            if sign in lower:
                return True
        return False


def lowered(text: str) -> str:
    """Return a text in lower case, with the letters that the engine takes for Latin ones if it ignores case.

    It is kept for the next call: one text is searched for many expressions.
    """
    global _lowered
    given, lower = _lowered
    if given is not text:
        lower = text.lower()
        if not text.isascii():
            lower = text.replace("\u0130", "i").replace("\u0131", "i").replace("\u017f", "s").lower()
        _lowered = text, lower
    return lower


_lowered: tuple[str, str] = "", ""


def pattern(text: str, flags: int = 0, *, exact_case: bool = False, signs: str = "") -> Pattern:
    """Return an expression that is compiled on first use. exact_case: set it if case distinguishes two things.

    signs  strings in lower case of which every match contains one, with "|" between them, if there are few
    """
    flags = flags if exact_case else flags | _IGNORE_CASE
    return SignedPattern(text, flags, signs) if signs else Pattern(text, flags)
