"""Names in the columns of tables, in the output of commands, and in lines that list groups. Pure.

Tables: ps, top, squeue, w, lsof, docker ps, kubectl
  PID USER      PR  NI    VIRT       JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
12345 olga      20   0   30.1g        4711       gpu    train     olga  R    1:00:00      1 gpu-07

$ groups                      $ ls /home            $ hostnamectl --static        jane : jane video docker
jane video docker             jane  bob             athena
"""

import re
from collections.abc import Generator, Iterator
from typing import Final

from accel.apps.privacy.near import Lines
from accel.apps.privacy.tables import pattern, tables, word_list

Span = tuple[int, int, str]
_WORD: Final = re.compile(r"(?<![\w./:=@-])[^\W\d][\w.-]{1,40}(?![\w/:=(@-])")
_NAMES: Final = re.compile(r"\s*[\w.@+/-]{1,60}(?:[\s:]{1,40}[\w.@+/-]{1,60}){0,60}\s*")
_PROMPT: Final = re.compile(r"\S{0,80}(?: [\w~/.-]{1,80})?[\])]?[$#%>❯](?: |$)|[(\[]\S{1,40}[)\]] \S{1,60}[$#>] ")
_FEWEST_KNOWN: Final = 2  # groups that every system has, in a line that lists groups
_LONGEST_LINE: Final = 400


def answered(lines: Lines) -> Iterator[Span]:
    """Yield (begin, end, kind) of each name; the kind is "user" or "host"."""
    for row in tables().answers:
        for match in lines.found(row.form, row.near):
            for begin, end in _words_below(lines.text, match.end(), row.lines):
                yield begin, end, row.names
    yield from _lists_of_groups(lines)


def _words_below(text: str, at: int, lines: int) -> Iterator[tuple[int, int]]:
    """Yield the words of the lines up to an empty line or the next prompt."""
    for _ in range(lines):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        if len(line) > _LONGEST_LINE or not _NAMES.fullmatch(line) or _PROMPT.match(line):
            return
        for word in _WORD.finditer(text, at, end):
            if not _is_known(word[0]):
                yield word.span()
        at = end + 1


def _lists_of_groups(lines: Lines) -> Iterator[Span]:
    groups = word_list("system_groups")
    for match in lines.found(pattern("group_list"), tuple(groups & _TELLING)):
        words = list(_WORD.finditer(lines.text, *match.span()))
        known = sum(word[0].lower() in groups for word in words)
        if known >= _FEWEST_KNOWN and known * 3 >= len(words):
            for word in words:
                if not _is_known(word[0]):
                    yield (*word.span(), "user")


_TELLING: Final = frozenset({"video", "render", "docker", "sudo", "wheel", "dialout", "plugdev", "cdrom", "hwhiaiuser"})


def _is_known(word: str) -> bool:
    low = word.lower()
    return low in word_list("stock_names") or low in word_list("system_groups") or low in word_list("no_persons")


_CELL: Final = re.compile(r"[^\s|│]+(?: (?=ID\b|IP\b|id\b)[^\s|│]+)?")
_MOST_ROWS: Final = 4000
_FEWEST_COLUMNS: Final = 3
_RULE: Final = re.compile(r"[\s+=|─│-]*")
_SIGNS: Final = frozenset("0123456789.,%)<>-")
Cell = tuple[int, int]


def column_names(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (begin, end, kind) of each name in such a column; the kind is "user", "host" or "container"."""
    headings = tables().columns
    find = _heading((*headings, *(heading for heading, _, _ in tables().columns_with)))
    at = 0
    while found := find.search(text, at):
        begin = text.rfind("\n", 0, found.start()) + 1
        end = _line_end(text, begin)
        cells = [m.span() for m in _CELL.finditer(text, begin, end)]
        words = [text[slice(*cell)] for cell in cells]
        kinds = [
            (place, kind) for place, word in enumerate(words) if (kind := headings.get(word) or _with(word, words))
        ]
        at = end
        if len(cells) >= _FEWEST_COLUMNS and kinds and _is_heading(text, words, end):
            if "  " not in text[begin:end].strip() and "\t" not in text[begin:end] and "|" not in text[begin:end]:
                cells = [(begin, begin)] * len(cells)  # nothing is aligned: match cells by their count
            at = yield from _rows(text, begin, cells, kinds)


def _rows(
    text: str, begin: int, cells: list[Cell], kinds: list[tuple[int, str]]
) -> Generator[tuple[int, int, str], None, int]:
    """Yield the names below the headers; return where the table ends."""
    start = _line_end(text, begin) + 1
    headings = tables().columns
    numbers = [(n, cell) for n, cell in enumerate(cells) if text[slice(*cell)] in word_list("number_columns")]
    for _ in range(_MOST_ROWS):
        if start > len(text):
            break
        end = _line_end(text, start)
        line = text[start:end]
        if not line.strip():
            break
        if not _RULE.fullmatch(line):
            row = [m.span() for m in _CELL.finditer(text, start, end)]
            if len(row) < _FEWEST_COLUMNS - 1 or any(text[slice(*cell)] in headings for cell in row):
                break
            if numbers and not any(
                (cell := _cell_below(at, begin, row, start, place, len(cells))) and _is_amount(text, cell)
                for place, at in numbers
            ):
                break
            for place, kind in kinds:
                cell = _cell_below(cells[place], begin, row, start, place, len(cells))
                if cell and not _is_no_name(text[slice(*cell)]):
                    yield (*cell, kind)
        start = end + 1
    return min(start, len(text))


def _cell_below(heading: Cell, begin: int, row: list[Cell], start: int, place: int, count: int) -> Cell | None:
    """Return the cell of a row that overlaps most with a header; if none does, the one aligned with it."""
    left, right = heading[0] - begin, heading[1] - begin
    if place == 0 and row and row[0][0] == start:
        return row[0]
    if len(row) == count:
        return row[place]
    if heading[0] == heading[1]:
        return row[place] if place < len(row) else None
    overlaps = [(min(right, cell[1] - start) - max(left, cell[0] - start), cell) for cell in row]
    best = max(overlaps, default=(0, None))
    return best[1] if best[0] > 0 else None


def _is_amount(text: str, cell: Cell) -> bool:
    return any(map(str.isdecimal, text[slice(*cell)]))


def _is_heading(text: str, words: list[str], end: int) -> bool:
    """Return whether a line is a table header: in capitals, or above a rule."""
    if any(c.isdecimal() for word in words for c in word):
        return False
    rule = text[end + 1 : _line_end(text, end + 1)]
    return all(word.isupper() or not any(map(str.isalpha, word)) for word in words) or (
        bool(rule.strip()) and _RULE.fullmatch(rule) is not None
    )


def _with(heading: str, others: list[str]) -> str | None:
    """Return the kind of a header that identifies someone only in combination with another header."""
    return next((kind for word, other, kind in tables().columns_with if word == heading and other in others), None)


def _line_end(text: str, begin: int) -> int:
    end = text.find("\n", begin)
    return len(text) if end < 0 else end


def _heading(words: tuple[str, ...]) -> "re.Pattern[str]":
    upper = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?<![^\s|│])(?:{upper})(?![^\s|│])")


def _is_no_name(cell: str) -> bool:
    """Return whether a cell is a number, a path, an option, or a placeholder for nothing."""
    return cell.startswith(("(", "-", "[")) or any(sign in cell for sign in "/:=") or set(cell) <= _SIGNS
