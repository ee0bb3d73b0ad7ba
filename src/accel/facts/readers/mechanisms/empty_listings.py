"""Recognise searches through a listing that printed nothing.

    $ lsmod | grep peermem                    the module is not loaded
    $ ldconfig -p | grep libze_loader         the loader knows no such library
    $ pip list | grep jaxlib                  the package is not installed
    $

A search counts if a prompt (with or without the next command) or a blank line and more text follows, or if the writer
says that there was no output. At the end of a text the answer may be truncated.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.readers.mechanisms.commands import commands_in
from accel.facts.readers.page import Page
from accel.model.observation import Command, Missing, Piece
from accel.text.pattern import pattern

_LISTS: Final[dict[str, Piece]] = {"lsmod": "loaded-module", "ldconfig": "library", "pip": "package"}
_SEARCH: Final = pattern(
    r"\|\s{0,3}(?:sudo\s{1,3})?e?grep\s{1,3}(?:-[a-zA-Z]{1,6}\s{1,3}){0,4}['\"]?(?P<word>[A-Za-z][\w.+-]{2,60})['\"]?"
    r"\s{0,3}(?:\((?:nothing|empty|no output)\)\s{0,3})?$",
    re.IGNORECASE,
)
_SAID_EMPTY: Final = ("(nothing)", "(empty)", "(no output)", "nothing", "no output")


def recognise(page: Page) -> Iterator[Missing]:
    """Yield what a listing was searched for without success."""
    for command in commands_in(page):
        piece = _LISTS.get(command.tool)
        if piece is None or command.advice or command.line is None:
            continue
        searched = _SEARCH.search(page.lines[command.line - 1].rstrip()) if command.last_line == command.line else None
        if searched and _is_empty(page, command):
            name = _library(searched["word"]) if piece == "library" else searched["word"]
            owner = page.specs.components.of_library(name) if piece == "library" else None
            yield Missing(piece=piece, name=name, component=owner, **page.on_line(command.line))


def _is_empty(page: Page, command: Command) -> bool:
    if command.answer is not None:
        return command.answer.lower() in _SAID_EMPTY
    after = page.lines[command.last_line or 0 :]
    return any(line.strip() for line in after)


def _library(word: str) -> str:
    """Return a file name: "libze_loader.so" for "ze_loader"."""
    base = word if word.startswith("lib") else f"lib{word}"
    return base if ".so" in base else f"{base}.so"
