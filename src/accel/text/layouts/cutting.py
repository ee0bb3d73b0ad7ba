"""Split a tool's output into what it says about each device, by one of six layouts.

rows      a regular expression with named groups; each match, on one line or several, is one device
sections  "key : value" lines below a title; the regular expression matches the title's whole line
columns   a heading, and a value below each of its words; the regular expression matches the beginning of the heading
csv       a header of names, then one line per device
json      a path of names to the list of devices, "" for the whole document
table     drawn with "|": accel.text.layouts.drawn
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from accel.model.dataclass import dataclass
from accel.model.device import Process
from accel.text.lines import line_at, lines_of
from accel.text.pattern import pattern
from accel.text.sections import blocks

_MOST_DOCUMENTS: Final = 50  # maximum number of JSON documents to try per text
_DEPTH: Final = 6
_MARKS: Final = "*#"  # marks that some tools put before a heading's words


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a text says about one device: texts by group, key (and "title/key"), column or path.

    bare  whether its section has nothing but a title
    """

    values: dict[str, str]
    first_line: int | None = None
    last_line: int | None = None
    bare: bool = False
    processes: tuple[Process, ...] | None = None


def rows(form: str, text: str) -> Iterator[Said]:
    """Yield one device for each match of the expression."""
    for match in pattern(form, 8).finditer(text):  # 8: re.MULTILINE
        first = line_at(text, match.start())
        last = first + match[0].rstrip("\n").count("\n")
        yield Said(values={k: v for k, v in match.groupdict().items() if v}, first_line=first, last_line=last)


def sections(form: str, text: str) -> Iterator[Said]:
    """Yield one device for each title."""
    for block in blocks(text, pattern(form)):
        values: dict[str, str] = {}
        for (title, key), value in block.values.items():
            values.setdefault(key, value)
            values.setdefault(f"{title}/{key}", value)
        yield Said(
            values={**values, **block.head},
            first_line=block.first_line,
            last_line=block.last_line,
            bare=not block.values,
        )


def columns(form: str, between: str | None, text: str) -> Iterator[Said]:
    """Yield one device for each line below a heading, until a line with another number of cells.

    between  cell separator "|", which also begins and ends each line; None for blanks
    """
    names: list[str] = []
    for number, line in lines_of(text):
        cells = [cell.strip() for cell in line.split(between)[1:-1]] if between else line.split()
        if pattern(form).match(line):
            names = [name.lower() for cell in cells if (name := cell.lstrip(_MARKS))]
        elif names and cells and not cells[0].startswith(tuple(_MARKS)):
            if len(cells) == len(names):
                yield Said(values=dict(zip(names, cells, strict=True)), first_line=number, last_line=number)
            else:
                names = []


def comma_separated(is_header: Callable[[Sequence[str]], bool], text: str) -> Iterator[Said]:
    """Yield one device for each line below a header, until a line with another number of cells."""
    import csv

    header: list[str] = []
    for number, line in lines_of(text):
        try:
            cells = [cell.strip() for cell in next(csv.reader([line], skipinitialspace=True), [])]
        except csv.Error:
            cells = []
        if is_header(cells):
            header = cells
        elif header and len(cells) == len(header):
            yield Said(values=dict(zip(header, cells, strict=True)), first_line=number, last_line=number)
        else:
            header = []


def documents(path: str, text: str) -> Iterator[Said]:
    """Yield one device for each record of a list or mapping; "key" is its index or its key in the mapping."""
    for value, first, last in _documents(text):
        for name in filter(None, path.split(".")):
            value = value.get(name) if isinstance(value, dict) else None
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, item in items:
            if isinstance(item, dict):
                yield Said(values={"key": str(key), **dict(_flat(item, "", _DEPTH))}, first_line=first, last_line=last)


def _documents(text: str) -> Iterator[tuple[Any, int, int]]:
    decoder, at = json.JSONDecoder(), 0
    for _ in range(_MOST_DOCUMENTS):
        starts = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
        if not starts:
            return
        start = min(starts)
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        yield value, line_at(text, start), line_at(text, at)


def _flat(record: dict[str, Any], start: str, depth: int) -> Iterator[tuple[str, str]]:
    for key, value in record.items():
        if isinstance(value, dict) and depth:
            yield from _flat(value, f"{start}{key}.", depth - 1)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield f"{start}{key}", str(value)
        elif isinstance(value, bool):
            yield f"{start}{key}", str(value).lower()
