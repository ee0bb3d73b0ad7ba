"""Secrets below a line that names them: a heading, a table header, a command that shows a file. Pure.

Password:          name,token              $ cat ~/.cache/huggingface/token
                   ci-runner,tulip77       hf_QwErTyUiOp
tulip77
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.apps.privacy.keys import meaning_of
from accel.apps.privacy.tables import pattern
from accel.apps.privacy.values import Place, can_be_secret, looks_secret, value_at

_HEADINGS: Final = re.compile(r"^[\w.\"' -]{1,40}(?:[,;|\t][\w.\"' -]{1,40}){1,20}$", re.MULTILINE)
_MOST_ROWS: Final = 400
_MOST_WORDS: Final = 5  # in a heading


def headed(text: str) -> Iterator[Place]:
    """Yield (begin, end) of each such value."""
    yield from _below_headings(text)
    yield from _of_files(text)
    yield from _in_sheets(text)


def _below_headings(text: str) -> Iterator[Place]:
    at = 0
    while match := pattern("secret_heading").search(text, at):
        at = match.start("value") if match.start("value") > match.start() else match.end()
        words = match["name"].replace("(", " ").replace(")", " ").split()
        if len(words) > _MOST_WORDS or not any(meaning_of(" ".join(words[n:])) == "secret" for n in range(len(words))):
            continue
        value = match["value"].strip("\"'`")
        if looks_secret(value) and not value.endswith(":"):
            begin = text.index(value, match.start("value"))
            yield begin, begin + len(value)


def _of_files(text: str) -> Iterator[Place]:
    """Yield the output of commands that show a file, or an entry, with a secret's name."""
    for match in pattern("shown_file").finditer(text):
        name = match["name"].strip("\"' ").rpartition("/")[2].rpartition("\\")[2].partition(".")[0]
        secret = (
            meaning_of(name) == "secret" or "pass" in match[0].split(None, 1)[0] or "secret" in match["name"].lower()
        )
        if secret and can_be_secret(match["value"]) and not match["value"].startswith(("$", "#", "-")):
            yield match.span("value")


def _in_sheets(text: str) -> Iterator[Place]:
    for begin, end, meaning in sheet_cells(text):
        if meaning == "secret" and can_be_secret(text[begin:end]):
            yield begin, end


def sheet_cells(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the cells below headers that identify them, in rows separated by commas, semicolons, bars or tabs."""
    at = 0
    while found := _HEADINGS.search(text, at):
        at = found.end()
        sign = next(c for c in ";|\t," if c in found[0])
        names = [cell.strip(" \"'") for cell in found[0].split(sign)]
        told = [(n, meaning) for n, name in enumerate(names) if name and (meaning := meaning_of(name))]
        start = found.end() + 1
        for _ in range(_MOST_ROWS if told else 0):
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            cells = text[start:end].split(sign)
            if len(cells) != len(names) or start >= len(text):
                break
            for number, meaning in told:
                begin = start + sum(len(cell) + 1 for cell in cells[:number])
                place = value_at(text, begin + len(cells[number]) - len(cells[number].lstrip()))
                if place and place[1] <= begin + len(cells[number]):
                    yield (*place, meaning)
            start = end + 1
            at = max(at, start - 1)
