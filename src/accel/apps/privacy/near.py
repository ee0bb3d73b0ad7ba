"""Searching only the lines that hold one of some words: most forms can be in few lines of a long text. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence

Replace = Callable[["re.Match[str]"], str]


def found(form: "re.Pattern[str]", near: Sequence[str], text: str, low: str) -> Iterator["re.Match[str]"]:
    """Yield the matches in lines that hold one of the words, which are in lower case. low: the text in lower case."""
    for begin, end in _stretches(near, text, low):
        yield from form.finditer(text, begin, end)


def replaced(form: "re.Pattern[str]", near: Sequence[str], replace: Replace, text: str) -> str:
    """Return the text with each such match replaced."""
    pieces, rest = [], 0
    for match in found(form, near, text, text.lower()):
        pieces += [text[rest : match.start()], replace(match)]
        rest = match.end()
    return "".join([*pieces, text[rest:]]) if pieces else text


def _stretches(near: Sequence[str], text: str, low: str) -> list[tuple[int, int]]:
    """Return where the lines begin and end, each with the line after it; those that follow each other are one."""
    if len(low) != len(text):  # of a few letters the small one is longer
        return [(0, len(text))]
    starts: set[int] = set()
    for word in near:
        at = low.find(word)
        while at >= 0:
            starts.add(low.rfind("\n", 0, at) + 1)
            end = low.find("\n", at)
            at = low.find(word, end) if end >= 0 else -1
    joined: list[tuple[int, int]] = []
    for start in sorted(starts):
        end = text.find("\n", start)
        end = text.find("\n", end + 1) if end >= 0 else -1
        end = len(text) if end < 0 else end
        if joined and start <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
