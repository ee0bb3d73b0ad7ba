"""Names in the output of commands, and in lines that list groups. Pure.

$ groups                      $ ls /home            $ hostnamectl --static        jane : jane video docker
jane video docker             jane  bob             athena
"""

import re
from collections.abc import Iterator
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
