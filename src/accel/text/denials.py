"""Whether a writer says that a surrounding is not, or is no longer, the one at hand. Pure.

not WSL, kein WSL2, 不是 WSL, Docker は使わず, WSL değil          denied
Earlier on Colab, now at home under Arch                        Colab is denied, Arch is not

The words are those of specs/language/denials.yaml.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from accel.text.clauses import CLAUSE, SENTENCE

_REACH: Final = 160  # characters of a sentence to inspect on either side
_WHOLE: Final = "(?<![A-Za-zÀ-ɏЀ-ӿ])(?:{})(?![A-Za-zÀ-ɏЀ-ӿ])"  # a whole word where words have spaces between them


class Denials:
    """The compiled words of the table language/denials."""

    def __init__(self, table: Mapping[str, Sequence[str]]) -> None:
        self._table = table

    @cached_property
    def _before(self) -> "re.Pattern[str]":
        words, between, east = (self._any(name) for name in ("before", "between", "before_east"))
        link = r"[ \t'’\"*`(]{1,3}"
        chain = rf"(?:{link}(?:{between})){{0,5}}(?:{link})?"
        return re.compile(rf"(?:(?<!\w)(?:{words})(?!\w){chain}|(?:{east})[\w ]{{0,3}})$", re.I)

    @cached_property
    def _after(self) -> "re.Pattern[str]":
        return re.compile(rf"['’]?\w{{0,4}}(?:{self._any('after')})", re.I)

    def _any(self, name: str) -> str:
        return "|".join(self._table[name])

    @cached_property
    def _words(self) -> "Mapping[str, re.Pattern[str]]":
        return {name: re.compile(_WHOLE.format(self._any(name)), re.I) for name in ("once", "now", "others", "outcome")}

    def denies(self, text: str, start: int, end: int) -> bool:
        """Return whether the sentence around two positions denies what is between them."""
        before, after = text[max(0, start - _REACH) : start], text[end : end + _REACH]
        before = SENTENCE.split(before)[-1]
        after = SENTENCE.split(after)[0]
        if self._before.search(before) or self._after.match(after):
            return self._words["outcome"].search(before) is None
        if self._words["others"].search(CLAUSE.split(before)[-1]):
            return True
        return bool(self._words["once"].search(before) and self._words["now"].search(after))
