r"""Finds the owners' names in home folder paths. Pure.

    /home/jane.doe/x    /Users/Jané    "/Users/Jane Doe"    /Users/Jane\ Doe/x    /gpfs/users/jane/x
    C:\Users\Jane Doe\x    c:/users/jane    /mnt/c/Users/Jane Doe/x    file:///C:/Users/Jane%20Doe/x
    \\server\Users\Jane Doe\x    \\wsl$\Ubuntu\home\jane

Normally only names on Windows contain blanks. Such a name ends at the next separator, at a closing quote, or with the
path if that stands alone. In running text the following words belong to the sentence, unless they look like a name.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final

from accel.apps.privacy.near import Lines
from accel.apps.privacy.tables import pattern, word_list

_BETWEEN: Final = r"(?:[\\/]|%5[cC]|%2[fF])+"
_START: Final = re.compile(
    rf"(?P<windows>(?:[A-Za-z](?::|%3[aA]){_BETWEEN}|(?<=/)[A-Za-z]/|\\)"
    rf"(?i:users|home|documents and settings){_BETWEEN})|/(?:home\d{{0,3}}|Users)/+"
    r"|(?<![\w./])/(?:gpfs|lustre|nfs|mnt|data|scratch|export|net|work|shared?|storage|cephfs|beegfs|vol|project)"
    r"\w{0,12}/"
    r"(?:[\w.-]{1,30}/){0,3}(?:users?|homes?|people)/+"
)
_WORDS: Final = ("home", "users", "documents and settings", "people", "user")
_CHARACTER: Final = r"(?!%5[cC]|%2[fF])[^/\\\s:;\"'`<>|*?]"
_WORD: Final = re.compile(rf"(?:\\ |{_CHARACTER}){{1,256}}")
_CLOSED: Final = re.compile(rf"((?:{_CHARACTER}|(?<=\w)'(?=\w)| (?! )){{1,100}})({_BETWEEN}|[>\"`]|'(?!\w))")
_ALONE: Final = re.compile(r"\s*(?:[\w.$()-]+\s*[=:]\s*)?\S*")
_REST: Final = re.compile(r"[^/\\:;\"'`<>|*?\t\r\n]{1,100}")
_QUOTE: Final = re.compile(r"(?:^|[\s=(\[{,:])([\"'`])[^\s\"'`]*$")
_CAPITALS: Final = re.compile(r"[^\W\d_a-z][\w.'-]*(?: [^\W\d_a-z][\w.'-]*){1,3}")
_FILE: Final = re.compile(r".*\.[a-z]{1,4}\d?")
_MOST_WORDS: Final = 4
_LOOK_BACK: Final = 300  # characters: a quote further away does not belong to this path


def owners(text: str, known: Collection[str] = ()) -> Iterator[tuple[int, int]]:
    """Yield (begin, end) of each owner's name. known: names with blanks found elsewhere, in lower case."""
    for at, end in Lines(text, once=True).stretches(_WORDS):
        while found := _START.search(text, at, end):
            begin = found.end()
            at = max(begin, _end(text, found, known))
            while at > begin and text[at - 1] in " .,)]}!":
                at -= 1
            if at > begin and text[begin] != "$":
                yield begin, at


def other_owners(text: str) -> Iterator[tuple[int, int]]:
    """Yield (begin, end) of names in folders for scratch, work and network disks; these may also be data sets."""
    kept = word_list("shared_folders") | word_list("stock_names")
    for found in pattern("other_home").finditer(text):
        name = found["who"].rstrip(".")
        if name.lower() not in kept and not (_FILE.fullmatch(name) and text[found.end() : found.end() + 1] != "/"):
            yield found.start("who"), found.start("who") + len(name)


def _end(text: str, found: "re.Match[str]", known: Collection[str]) -> int:
    """Return the end of the name that starts at the end of `found`."""
    begin = found.end()
    line = text[max(text.rfind("\n", 0, begin) + 1, found.start() - _LOOK_BACK) : found.start()]
    quote = _QUOTE.search(line)
    if quote and (closing := re.compile(rf"([^\n]{{0,100}}?)(?:{_BETWEEN}|{quote[1]})").match(text, begin)):
        return closing.end(1)
    word = _WORD.match(text, begin)
    first = word.end() if word else begin
    closed = _CLOSED.match(text, begin)
    windows = found["windows"] is not None
    if (
        closed
        and closed[2][0] in (found[0][-1], *">\"`'")
        and _is_name(closed[1])
        and (windows or _CAPITALS.fullmatch(closed[1]))
    ):
        return max(first, closed.end(1))
    for name in sorted(known, key=len, reverse=True):
        if text[begin : begin + len(name)].lower() == name and not text[begin + len(name) :][:1].isalnum():
            return begin + len(name)
    if not windows or text[first : first + 1] != " ":
        return first
    rest = _REST.match(text, begin)
    if rest and _ALONE.fullmatch(line.rpartition(";")[2]) and _is_name(rest[0]) and text[rest.end() :][:1] in "\n\r;":
        return rest.end()
    capitals = _CAPITALS.match(text, begin)
    return max(first, capitals.end()) if capitals else first


def _is_name(text: str) -> bool:
    """Return whether words could be one person's name, rather than the rest of a sentence or a command."""
    words = text.split(" ")
    return (
        bool(words[-1])
        and len(words) <= _MOST_WORDS
        and not any(
            word.lower().strip(",.") in word_list("sentence_words") or word.startswith("-") or "=" in word
            for word in words[1:]
        )
    )
