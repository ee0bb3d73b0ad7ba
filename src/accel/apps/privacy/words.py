"""Many words, replaced wherever they appear alone, in one pass over a text however many they are. Pure."""

import re
from typing import Final

from accel.model.dataclass import dataclass

NAME: Final = re.compile(r"[\w-]+")
ALPHANUMERIC: Final = re.compile(r"[A-Za-z0-9]+")


class Words:
    """Words and what replaces them. run: letters before and after which a word does not appear alone."""

    def __init__(self, run: "re.Pattern[str]") -> None:
        self._run = run
        self._all: dict[str, str] = {}
        self._by_run: dict[str, list[_Word]] = {}

    def __contains__(self, word: str) -> bool:
        return word in self._all

    def add(self, word: str, new: str) -> None:
        """Add a word, which is found by its first run of letters."""
        found = self._run.search(word)
        if found is None or word in self._all:
            return
        self._all[word] = new
        others = self._by_run.setdefault(found[0], [])
        others.append(_Word(text=word, new=new, offset=found.start()))
        others.sort(key=lambda one: -len(one.text))

    def replaced_in(self, text: str) -> str:
        """Return the text with each word replaced, the longest first where several begin at one place."""
        if not self._all:
            return text
        pieces, rest = [], 0
        for found in self._run.finditer(text):
            for word in self._by_run.get(found[0], ()):
                begin = found.start() - word.offset
                end = begin + len(word.text)
                if begin >= rest and text.startswith(word.text, begin) and not self._run.match(text, end):
                    pieces += [text[rest:begin], word.new]
                    rest = end
                    break
        return "".join([*pieces, text[rest:]]) if pieces else text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """offset: where its first run of letters begins."""

    text: str
    new: str
    offset: int
