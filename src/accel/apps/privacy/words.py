"""Replaces many words wherever they occur on their own, in one pass over a text. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import dataclass

NAME: Final = r"[^\W_]"
ALPHANUMERIC: Final = r"[A-Za-z0-9]"
_FEW: Final = 40  # words: this many are searched for with one expression
_SHORT: Final = 20_000  # characters of a text for which compiling an expression costs more than it saves
_UNPARTED: Final = re.compile(r"[\u3040-\u9fff\uac00-\ud7a3]")  # scripts that do not separate words
_LONG: Final = 6  # letters of a word that is matched in any case, and next to "-" and "_"
_SIGNS: Final = ("-", "_")


class Words:
    """Words and their replacements.

    letter: a character next to which a word does not count as on its own; any_case: whether long words also match in
    capitals.
    """

    def __init__(self, letter: str, any_case: bool = False) -> None:
        self._letter = letter
        self._run = re.compile(f"{letter}+")
        self._any_case = any_case
        self._all: dict[str, str] = {}
        self._by_run: dict[str, list[_Word]] = {}
        self._unparted: dict[str, str] = {}

    def __contains__(self, word: str) -> bool:
        return word in self._all

    def add(self, word: str, new: str) -> None:
        """Add a word; it is located by its first run of letters."""
        found = self._run.search(word)
        if found is None or word in self._all:
            return
        self._all[word] = new
        if _UNPARTED.match(word):
            self._unparted[word] = new
            return
        others = self._by_run.setdefault(self._key(found[0]), [])
        exact = not self._any_case or len(word) < _LONG
        others.append(_Word(text=word if exact else word.lower(), new=new, offset=found.start(), exact=exact))
        others.sort(key=lambda one: -len(one.text))

    def replaced_in(self, text: str) -> str:
        """Return the text with each word replaced; if several start at one position, the longest."""
        for unparted, new in sorted(self._unparted.items(), key=lambda item: -len(item[0])):
            text = text.replace(unparted, new)
        if not self._by_run:
            return text
        low = text.lower() if self._any_case else text
        if len(low) != len(text):
            low = text
        pieces, rest = [], 0
        for found in self._runs(text):
            for word in self._by_run.get(self._key(found[0]), ()):
                begin = found.start() - word.offset
                end = begin + len(word.text)
                source = text if word.exact else low
                if begin >= rest and source.startswith(word.text, begin) and not self._goes_on(text, begin, end, word):
                    pieces += [text[rest:begin], word.new]
                    rest = end
                    break
        return "".join([*pieces, text[rest:]]) if pieces else text

    def _goes_on(self, text: str, begin: int, end: int, word: "_Word") -> bool:
        """Return whether the word is only a part of a longer word in the text."""
        if (
            self._any_case
            and word.exact
            and (text[max(0, begin - 1) : begin] in _SIGNS or text[end : end + 1] in _SIGNS)
        ):
            return True
        return self._run.match(text, end) is not None

    def _key(self, run: str) -> str:
        return run.lower() if self._any_case else run

    def _runs(self, text: str) -> Iterator["re.Match[str]"]:
        """Yield the runs of letters that may start a word."""
        if len(self._by_run) > _FEW or len(text) < _SHORT:
            yield from self._run.finditer(text)
            return
        begins = "|".join(map(re.escape, sorted(self._by_run, key=len, reverse=True)))
        flags = re.IGNORECASE if self._any_case else 0
        yield from re.finditer(rf"(?<!{self._letter})(?:{begins})(?!{self._letter})", text, flags)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """offset: of its first run of letters; exact: matches only in this case, otherwise in small letters."""

    text: str
    new: str
    offset: int
    exact: bool
