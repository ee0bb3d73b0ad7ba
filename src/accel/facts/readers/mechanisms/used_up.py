"""Recognise what is used up by what tools print of it: a file system, its inodes, a quota, a device's memory.

    Filesystem  Inodes IUsed IFree IUse% Mounted on        path               used   limit
    /dev/md0      112M  112M     0  100% /scratch          /home/h/anna      50.0G  50.0G

    7.63 GiB / 7.79 GiB

Which of the columns are compared is known from the line above: the tools' own headings.
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted
from accel.text.amounts import size_bytes
from accel.text.pattern import pattern

_WORDS: Final = frozenset(("use", "iuse", "used", "usage", "iused", "gib", "mib", "gb", "100"))
_SHARE: Final = pattern(
    r"^\s{0,20}\S.{0,120}?\s(?P<percent>\d{1,3})%\s{1,20}(?P<path>/\S{0,200})\s{0,10}$", exact_case=True
)
_OF_INODES: Final = pattern(r"\b(?:i-?nodes?|iuse%|%iused|ifree|df\s{1,3}(?:-\S{1,6}\s{1,3}){0,2}-\w{0,4}i)")
_HEADING: Final = pattern(r"\b(?:used?|usage|blocks|space)\b.{0,40}\b(?:limit|quota|hard|allowed|max)\b")
_LIMIT: Final = pattern(r"^(?:limit|quota|hard|allowed|max)$")
_USED: Final = pattern(r"^(?:used?|usage|blocks|space)$")
_AMOUNT: Final = pattern(r"^\d{1,15}(?:\.\d{1,3})?\*?[KMGTP]?i?B?$")
_PAIR: Final = pattern(
    r"(?<![\w./])(?P<used>\d{1,6}(?:\.\d{1,3})?)\s?(?P<one>[MG]i?B)\s{0,2}/\s{0,2}(?P<total>\d{1,6}(?:\.\d{1,3})?)\s?(?P<other>[MG]i?B)\b"
)
_LOADED: Final = pattern(
    r"%\||=>|\b(?:pull|download|fetch|upload|copy|extract|writ|read|load)ing\b|/s\b|\beta\b"
)  # a file, not memory
_HEADING_LINES: Final = 8  # a table's rows that are looked at
_FULL: Final = 0.97
_NEARLY: Final = 0.95


def recognise(page: Page) -> Iterator[Noted]:
    """Yield an observation for each thing that is used up, and for each other place of the same table with room.

    room-used-up (of, path, used, limit)   of: inodes, space or quota
    room-left (path)                       another row of a table of quotas
    memory-used-up (used, total)           two amounts of a device's memory that are nearly the same
    """
    if _WORDS.isdisjoint(page.words.places):
        return
    inodes = 0
    for number, line in enumerate(page.lines, 1):
        if len(line) > 300:
            continue
        if _OF_INODES.search(line):
            inodes = number
        if (share := _SHARE.match(line)) and int(share["percent"]) >= 100:
            of = "inodes" if inodes and number - inodes <= _HEADING_LINES else "space"
            values = (("of", of), ("path", share["path"]))
            yield Noted(fact="room-used-up", values=values, **page.on_line(number))
        elif _HEADING.search(line):
            yield from _of_table(page, number)
        for pair in () if _LOADED.search(line) else _PAIR.finditer(line):
            used, total = (_bytes(pair[n], pair[unit]) for n, unit in (("used", "one"), ("total", "other")))
            if used and total and _NEARLY * total <= used <= total:
                values = (("used", f"{pair['used']} {pair['one']}"), ("total", f"{pair['total']} {pair['other']}"))
                yield Noted(fact="memory-used-up", values=values, **page.on_line(number))


def _of_table(page: Page, heading: int) -> Iterator[Noted]:
    """Yield what the rows below a heading with the columns used and limit say."""
    names = page.lines[heading - 1].lower().split()
    used = next((n for n, name in enumerate(names) if _USED.match(name)), None)
    limit = next((n for n, name in enumerate(names) if _LIMIT.match(name)), None)
    if used is None or limit is None or limit < used:
        return
    for number, line in enumerate(page.lines[heading : heading + _HEADING_LINES], heading + 1):
        cells = line.split()
        if len(cells) <= limit or not _AMOUNT.match(cells[used]) or not _AMOUNT.match(cells[limit]):
            if line.strip(" -=|+"):
                continue
            break
        path = next((cell for cell in cells if cell.startswith("/")), None)
        taken, most = size_bytes(cells[used].rstrip("*")), size_bytes(cells[limit])
        if not taken or not most:
            continue
        values = (("path", path),) if path else ()
        if taken < _FULL * most:
            yield Noted(fact="room-left", values=values, **page.on_line(number))
            continue
        values = (("of", "quota"), *values, ("used", cells[used].rstrip("*")), ("limit", cells[limit]))
        yield Noted(fact="room-used-up", values=values, **page.on_line(number))


def _bytes(number: str, unit: str) -> int | None:
    return size_bytes(f"{number}{unit}")
