"""Split a text into lower-case words with positions, to compare sentences with.

Words are runs of letters, digits and "_"; each Chinese, Japanese or Korean character is a word of its own. So case,
punctuation, quote marks and line wrapping by a terminal do not matter. A unit that directly follows its number ("240W",
"22GB") is a separate word.
"""

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import Final

from accel.text.pattern import pattern

_WORD: Final = pattern(r"\w+", exact_case=True)
_EAST_ASIAN: Final = pattern(
    r"[\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7af\uf900-\ufaff]|[^\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]+",
    exact_case=True,
)
_AMOUNT: Final = pattern(r"(\d+)(w|watts?|[kmgt]i?b|mins?|days|ms)")  # "240W" is two words
_DIGITS: Final = frozenset("0123456789")
_BLANK_LINE: Final = pattern(r"\n[ \t]*(?=\n)", exact_case=True)
# A question of a form and its answer: "### ROCm Version", "", "6.4.2".
_ANSWERED: Final = pattern(
    r"^(?:#{1,6}[ \t]|\*\*)[^\n]{0,60}(?:version|版本)[^\n]{0,9}(?=\n[ \t]*\n[ \t]*v?\d)", re.MULTILINE
)


class Words:
    """The words of one text.

    words         in lower case; starts and ends: the position of each in `text`
    """

    __slots__ = ("__dict__", "ends", "starts", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.words: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        add_word, add_start, add_end = self.words.append, self.starts.append, self.ends.append
        for found in _WORD.finditer(text):
            word, start = found[0], found.start()
            if word.isascii():
                amount = _AMOUNT.fullmatch(word) if word[0] in _DIGITS and word[-1] not in _DIGITS else None
                if amount is None:
                    add_word(word.lower())
                    add_start(start)
                    add_end(found.end())
                    continue
                for half in (1, 2):
                    add_word(amount[half].lower())
                    add_start(start + amount.start(half))
                    add_end(start + amount.end(half))
                continue
            for part in _EAST_ASIAN.finditer(word):
                add_word(part[0].lower())
                add_start(start + part.start())
                add_end(start + part.end())

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """The numbers at which each word occurs."""
        found: dict[str, list[int]] = {}
        for number, word in enumerate(self.words):
            found.setdefault(word, []).append(number)
        return found

    @cached_property
    def scanned(self) -> dict[tuple[str, int], tuple[str, int] | None]:
        """A cache of slot values that were scanned at a word, by type and number of the word."""
        return {}

    @cached_property
    def after_blank_line(self) -> frozenset[int]:
        """The first words after blank lines. No sentence crosses one, except from a form's question to a version."""
        answered = {found.end() for found in _ANSWERED.finditer(self.text)}
        blank = (found for found in _BLANK_LINE.finditer(self.text) if found.start() not in answered)
        return frozenset(bisect_left(self.starts, found.end()) for found in blank)

    @cached_property
    def _line_ends(self) -> list[int]:
        ends, at = [], self.text.find("\n")
        while at >= 0:
            ends.append(at)
            at = self.text.find("\n", at + 1)
        return ends

    def line_at(self, place: int) -> int:
        """Return the line number, counted from 1, of a character position."""
        return bisect_left(self._line_ends, place) + 1

    def line_text(self, place: int) -> str:
        """Return the line that contains a character position."""
        end = self.text.find("\n", place)
        return self.text[self.text.rfind("\n", 0, place) + 1 : end if end >= 0 else len(self.text)]

    def at_or_after(self, place: int) -> int:
        """Return the number of the first word that begins at or after a position."""
        return bisect_left(self.starts, place)

    def holding(self, place: int) -> int:
        """Return the number of the last word that begins at or before a position; -1 if there is none."""
        return bisect_right(self.starts, place) - 1


def capitalised(sentence: str) -> str:
    """Return a sentence with a capital at its beginning; a name that is written otherwise keeps its letters: "vLLM"."""
    return sentence if sentence[1:2].isupper() else f"{sentence[:1].upper()}{sentence[1:]}"
