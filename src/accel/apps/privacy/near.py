"""Searches only the lines that contain one of some words: most patterns can match few lines of a long text. Pure."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

_PART: Final = 2000  # characters of a long line before and after a word
_SHORT: Final = 20_000  # characters; in a shorter text, searching is faster than the check
Replace = Callable[["re.Match[str]"], str]


class Lines:
    """A text to search for patterns, each in the lines that contain one of its words. once: for a single pattern."""

    def __init__(self, text: str, low: str | None = None, *, once: bool = False) -> None:
        self.text = text
        self.low = text.lower() if low is None else low
        judged = not once and len(self.low) >= _SHORT
        self._words = "\n".join(("", *set(self.low.split()), "")) if judged else ""  # each distinct word of the text
        self._threes = frozenset(map("".join, zip(self._words, self._words[1:], self._words[2:], strict=False)))
        self._starts: dict[str, Sequence[int]] = {}

    def found(self, form: "re.Pattern[str]", near: Collection[str]) -> Iterator["re.Match[str]"]:
        """Yield the matches in lines that contain one of the lower-case words."""
        for begin, end in self.stretches(near):
            yield from form.finditer(self.text, begin, end)

    def stretches(self, near: Collection[str]) -> list[tuple[int, int]]:
        """Return (begin, end) of the matching lines, each with the line after it; adjacent ones are merged."""
        if len(self.low) != len(self.text):  # a few letters are longer in lower case
            return [(0, len(self.text))]
        known = self._starts
        asked = [word for word in near if word not in known]
        known.update(dict.fromkeys(asked, ()))  # most words are in no line
        for word in filter(self._has, asked) if self._words else [word for word in asked if word in self.low]:
            known[word] = self._lines_with(word)
        starts: set[int] = set().union(*map(known.__getitem__, near))
        return _joined(self.text, sorted(starts)) if starts else []

    def _has(self, word: str) -> bool:
        """Return whether the text may contain the word, judged by the parts of the word that blanks separate."""
        if "\n" in word:
            return True
        parts = word.replace(" ", "\n \n").split(" ")  # in "for user" the first ends a word, the second starts one
        return all(self._has_threes(part) and part in self._words for part in parts)

    def _has_threes(self, part: str) -> bool:
        return all(part[at : at + 3] in self._threes for at in range(len(part) - 2))

    def _lines_with(self, word: str) -> list[int]:
        """Return the starts of the lines that contain the word; of a long line, a part."""
        low, starts = self.low, []
        at = low.find(word)
        while at >= 0:
            begin = at + word.startswith("\n")  # for a word at the start of a line
            starts.append(max(low.rfind("\n", 0, begin) + 1, at - _PART))
            end = low.find("\n", at + len(word), at + 2 * _PART)
            at = low.find(word, end if end >= 0 else at + _PART)
        return starts


def found(form: "re.Pattern[str]", near: Collection[str], text: str, low: str) -> Iterator["re.Match[str]"]:
    """Yield the matches in lines that contain one of the words. low: the text in lower case."""
    lines = Lines(text, low, once=True)
    yield from lines.found(form, near)


def replaced(form: "re.Pattern[str]", near: Collection[str], replace: Replace, text: str) -> str:
    """Return the text with each such match replaced."""
    pieces, rest = [], 0
    for match in found(form, near, text, text.lower()):
        pieces += [text[rest : match.start()], replace(match)]
        rest = match.end()
    return "".join([*pieces, text[rest:]]) if pieces else text


def within(form: "re.Pattern[str]", change: Callable[[str], str], text: str) -> str:
    """Return the text with `change` applied to the lines in which the pattern matches."""
    pieces, rest = [], 0
    for match in form.finditer(text):
        if match.start() < rest:
            continue
        begin, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
        end = len(text) if end < 0 else end
        pieces += [text[rest:begin], change(text[begin:end])]
        rest = end
    return "".join([*pieces, text[rest:]]) if pieces else text


def _joined(text: str, starts: Sequence[int]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start in starts:
        end = text.find("\n", start, start + 3 * _PART)
        if end >= 0 and text.startswith("\n", end + 1):  # below an empty line
            end += 1
        end = text.find("\n", end + 1, end + 3 * _PART) if end >= 0 else -1
        end = min(start + 3 * _PART, len(text)) if end < 0 else end
        if joined and start <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
