"""Screen lines: spans of text, each with a style and a click action."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from accel.apps.render.page import columns_of, fitting
from accel.model.dataclass import dataclass
from accel.model.printable import printable

DASH: Final = "–"
_MORE: Final = "…"


@dataclass(frozen=True, slots=True)
class Span:
    """style: a name of the palette; action: the click action, "sort memory", "device nvidia:0"; "" if none.

    size  its width in columns, if known without counting
    """

    text: str
    style: str = ""
    action: str = ""
    size: int = -1

    @property
    def columns(self) -> int:
        return self.size if self.size >= 0 else columns_of(self.text)


Line = tuple[Span, ...]


@lru_cache(4096)
def fitted(text: str, width: int, right: bool = False) -> str:
    """Return the text in exactly `width` columns, on one line, printable; longer text is truncated with "…"."""
    plain = printable(" ".join(text.split()) if not text.isprintable() else text)
    used = columns_of(plain)
    if used > width:
        plain = _cut(plain, width)
        used = columns_of(plain)
    room = " " * (width - used)
    return room + plain if right else plain + room


@lru_cache(4096)
def cell(text: str, width: int, right: bool = False, style: str = "", action: str = "", gap: int = 0) -> Span:
    """Return the text as a span of exactly `width` columns followed by a gap; cached, so always the same object."""
    return Span(fitted(text, width, right) + " " * gap, style, action, width + gap)


@lru_cache(4096)
def exact(text: str, width: int, style: str = "", action: str = "") -> Span:
    """Return a span for a text that is known to be `width` columns wide."""
    return Span(text, style, action, width)


@lru_cache(1024)
def blank(width: int, style: str = "", action: str = "") -> Span:
    """Return a span of `width` blanks."""
    return Span(" " * width, style, action, width)


def _cut(text: str, width: int) -> str:
    if width <= 0:
        return ""
    used, taken = 0, []
    for sign in text:
        used += columns_of(sign)
        if used > width - 1:
            break
        taken.append(sign)
    return "".join(taken) + _MORE


def width_of(line: Sequence[Span]) -> int:
    """Return the width of a line in columns."""
    return sum([span.columns for span in line])


def filled(line: Sequence[Span], width: int, style: str = "") -> Line:
    """Return the line padded or truncated to exactly `width` columns; a span that does not fit is cut by `fitted`."""
    if width_of(line) == width:
        return tuple(line)
    spans: list[Span] = []
    left = width
    for span in line:
        if left <= 0:
            break
        size = span.columns
        spans.append(span if size <= left else Span(fitted(span.text, left), span.style, span.action, left))
        left -= min(size, left)
    if left > 0:
        spans.append(blank(left, style))
    return tuple(spans)


def before(line: Sequence[Span], column: int) -> Line:
    """Return the part of a line before a column; a wide character that is split becomes a blank."""
    spans: list[Span] = []
    for span in line:
        if column <= 0:
            break
        size, text = span.columns, span.text
        if size > column:
            text = text[: fitting(text, column)] if columns_of(text[0]) <= column else ""
            text += " " * (column - columns_of(text))
        spans.append(Span(text, span.style, span.action, min(size, column)))
        column -= size
    return tuple(spans)


def behind(line: Sequence[Span], column: int) -> Line:
    """Return the part of a line from a column on; a wide character that is split becomes a blank."""
    spans: list[Span] = []
    for span in line:
        size = span.columns
        if column >= size:
            column -= size
            continue
        text = span.text
        while column > 0:
            column -= columns_of(text[0])
            text = text[1:]
        spans.append(Span(" " * -column + text, span.style, span.action))
        column = 0
    return tuple(spans)


def changed_part(before: Line, after: Line) -> tuple[int, int]:
    """Return the range of columns [first, end) in which two lines of equal width differ; (0, 0) if none."""
    first, end, column = -1, 0, 0
    for old, new in zip(before, after, strict=False):
        size = new.columns
        if old is not new and old != new:
            if old.columns != size:
                return (column if first < 0 else first), width_of(after)
            start, stop = 0, size
            if old.style == new.style and len(old.text) == len(new.text) == size:  # characters of one column each
                start, stop = _differing(old.text, new.text)
            if start < stop:
                first = column + start if first < 0 else first
                end = column + stop
        column += size
    return max(0, first), end


def _differing(old: str, new: str) -> tuple[int, int]:
    start, stop = 0, len(new)
    while start < stop and old[start] == new[start]:
        start += 1
    while stop > start and old[stop - 1] == new[stop - 1]:
        stop -= 1
    return start, stop


def action_at(line: Sequence[Span], column: int) -> str:
    """Return the click action at a column; "" if none."""
    for span in line:
        column -= span.columns
        if column < 0:
            return span.action
    return ""
