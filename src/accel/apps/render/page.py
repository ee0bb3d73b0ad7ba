"""Paragraphs, optionally with a label, wrapped to a width: by rich on a terminal, otherwise by this module.

Most output is piped, captured or read by programs; importing rich would cost a fifth of the time. Both wrap lines at
the same places.
"""

import sys
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from accel.apps.render.width import page_width

if TYPE_CHECKING:
    from rich.console import RenderableType

_AFTER: Final = 2  # columns between a label and its text
_NARROW: Final = 60  # columns; below it a wide label has no separate column
_WIDE_LABEL: Final = 8


class Paragraph:
    """Spans of (text, style); styles are rich's.

    indent    columns before each line
    label     printed before the first line, in a column of width `room`; all text starts after that column; None: no
              column
    whole     a command: never wrapped, so that it can be copied
    """

    __slots__ = ("indent", "label", "room", "spans", "whole")

    def __init__(
        self,
        *spans: "str | tuple[str, str]",
        indent: int = 0,
        label: str | None = None,
        room: int = 5,
        whole: bool = False,
    ) -> None:
        self.spans = tuple((span, "") if isinstance(span, str) else span for span in spans)
        self.indent = indent
        self.label = label
        self.room = room
        self.whole = whole

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.spans)

    def in_width(self, width: int) -> "Paragraph":
        """Return the paragraph adapted to a narrow page: a wide label before its text, and commands near the edge."""
        if width >= _NARROW:
            return self
        if self.whole and self.indent > _WIDE_LABEL:
            return Paragraph(*self.spans, indent=4, whole=True)
        if self.label is None or self.room < _WIDE_LABEL:
            return self
        return Paragraph((f"{self.label}: " if self.label else "", "dim"), *self.spans, indent=2)


def print_page(paragraphs: "Iterable[Paragraph]") -> None:
    """Print to stdout."""
    if sys.stdout.isatty():
        from accel.apps.render.console import console

        out = console()
        for paragraph in paragraphs:
            if paragraph.text or paragraph.label:
                out.print(renderable(paragraph.in_width(out.width)), soft_wrap=paragraph.whole)
            else:
                out.print()  # rich prints no line for an empty text
        return
    width = page_width()
    for paragraph in paragraphs:
        for line in lines_of(paragraph.in_width(width), width):
            sys.stdout.write(line + "\n")


def lines_of(paragraph: Paragraph, width: int) -> Iterator[str]:
    """Yield the lines of a paragraph, without trailing blanks."""
    first = rest = " " * paragraph.indent
    if paragraph.label is not None:
        first += f"{paragraph.label:<{paragraph.room}}{' ' * _AFTER}"
        rest = " " * len(first)
    if paragraph.whole:
        yield first + paragraph.text
        return
    for line in _wrapped(paragraph.text, max(1, width - len(rest))):
        yield (first + line).rstrip()
        first = rest


def _wrapped(text: str, width: int) -> Iterator[str]:
    for line in text.split("\n"):
        taken, used = "", 0
        for word in _words(line):
            size = columns_of(word.rstrip())
            if used + size > width and taken:
                yield taken
                taken, used = "", 0
            while size > width:
                head = fitting(word, width)
                yield word[:head]
                word = word[head:]
                size = columns_of(word.rstrip())
            taken += word
            used += columns_of(word)
        yield taken


def _words(line: str) -> Iterator[str]:
    """Yield each word with the blanks after it; the first also has those before it."""
    start = 0
    for place in range(1, len(line)):
        if line[place] != " " and line[place - 1] == " " and line[start:place].strip():
            yield line[start:place]
            start = place
    yield line[start:]


def fitting(word: str, width: int) -> int:
    """Return how many of its characters fit; at least one."""
    used = 0
    for place, sign in enumerate(word):
        used += columns_of(sign)
        if used > width:
            return max(1, place)
    return len(word)


def columns_of(text: str) -> int:
    """Return the display width of a text: 2 for a wide character, 0 for a combining one."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(s) else 2 if unicodedata.east_asian_width(s) in "WF" else 1 for s in text)


def renderable(paragraph: Paragraph) -> "RenderableType":
    """Return a paragraph as a rich renderable."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    text = Text.assemble(*paragraph.spans, no_wrap=paragraph.whole, overflow="ignore" if paragraph.whole else "fold")
    if paragraph.whole:
        text.pad_left(paragraph.indent)
        return text
    if paragraph.label is None:
        return Padding(text, (0, 0, 0, paragraph.indent), expand=False)
    grid = Table.grid(padding=(0, _AFTER))
    grid.add_column(no_wrap=True, style="dim", width=paragraph.room)
    grid.add_column(overflow="fold")
    grid.add_row(paragraph.label, text)
    return Padding(grid, (0, 0, 0, paragraph.indent), expand=False)
