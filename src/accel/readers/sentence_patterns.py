"""What the message tables' patterns mean: blanks that stand for any white space, and the literals a match must hold."""

import re
from typing import Final

_LOG_PREFIX: Final = (
    r"[ \t]*(?:\[[\w.]+:\d+\]|[A-Z]\d{4} [\d:.]+ +\d+ [\w./]+:\d+\]|"
    r"\S{1,80}:\d+:\d+ \[\d+\] NCCL [A-Z]+)"
)
_GAP: Final = rf"(?:[ \t]+|[ \t]*\n(?:{_LOG_PREFIX})?[ \t]*)"
_SHORTEST_SIGN: Final = 4  # characters: a shorter literal is in every text
_QUANTIFIERS: Final = frozenset("?*+{")
_OPTIONAL: Final = frozenset("?*{")


def has_prefixes(text: str) -> bool:
    """Whether any line begins with a log prefix that may stand inside a wrapped sentence."""
    return re.search("\n" + _LOG_PREFIX, text) is not None


def flexible(pattern: str, *, prefixes: bool = True) -> str:
    """Return the pattern with every literal blank standing for any white space.

    prefixes: whether a line break may be followed by a log prefix; patterns without are compiled in half the time.
    Left alone: blanks in character classes and look-behinds, and one with a quantifier, which says itself how many.

    >>> bool(re.search(flexible("driver is too old"), "driver is\\n   too  old"))
    True
    """
    out: list[str] = []
    fixed_width: list[bool] = []  # for each open group, whether it lies in a look-behind
    at = 0
    while at < len(pattern):
        piece = _piece(pattern, at)
        at += len(piece)
        if piece == "(":
            behind = pattern.startswith(("?<=", "?<!"), at)
            fixed_width.append(behind or (bool(fixed_width) and fixed_width[-1]))
        elif piece == ")" and fixed_width:
            fixed_width.pop()
        elif piece in (" ", "\\ "):
            if (fixed_width and fixed_width[-1]) or (pattern[at : at + 1] in _QUANTIFIERS and at < len(pattern)):
                piece = r"\s"
            else:
                while pattern[at : at + 1] == " " and pattern[at + 1 : at + 2] not in _QUANTIFIERS:
                    at += 1
                piece = _GAP if prefixes else r"\s+"
        out.append(piece)
    return "".join(out)


def literal_signs(pattern: str) -> tuple[str, ...]:
    """Return literals of which any match holds at least one: the longest of each alternative. Empty: there are none.

    >>> literal_signs(r"CUDA driver version is (?:too )?insufficient for v(?P<v>[0-9.]+)|Found no (?:GPU|device)s")
    ('insufficient', 'Found')
    """
    signs, _ = _alternatives(pattern, 0)
    return signs if signs and min(map(len, signs)) >= _SHORTEST_SIGN else ()


def _piece(pattern: str, at: int) -> str:
    """Return the next unit: an escape, a character class, or one character."""
    if pattern[at] == "\\":
        return pattern[at : at + 2]
    if pattern[at] != "[":
        return pattern[at]
    end = at + 1
    end += pattern[end : end + 1] == "^"
    end += pattern[end : end + 1] == "]"
    while end < len(pattern) and pattern[end] != "]":
        end += 2 if pattern[end] == "\\" else 1
    return pattern[at : end + 1]


def _alternatives(pattern: str, at: int) -> tuple[tuple[str, ...], int]:
    """Return the signs of the group that begins at `at`, and where it ends; no signs if one branch has none."""
    branches: list[tuple[str, ...]] = []
    while True:
        signs, at = _branch(pattern, at)
        branches.append(signs)
        if at >= len(pattern) or pattern[at] == ")":
            break
        at += 1
    if not all(branches):
        return (), at
    return tuple(dict.fromkeys(sign for branch in branches for sign in branch)), at


def _branch(pattern: str, at: int) -> tuple[tuple[str, ...], int]:
    """Return the signs of one branch, and the place of the | or ) that ends it."""
    known: list[tuple[str, ...]] = []
    run = ""
    while at < len(pattern) and pattern[at] not in "|)":
        piece = _piece(pattern, at)
        at += len(piece)
        literal = ""
        signs: tuple[str, ...] = ()
        if piece == "(":
            looks = pattern.startswith(("?=", "?!", "?<=", "?<!"), at)
            signs, at = _alternatives(pattern, _after_head(pattern, at))
            signs, at = () if looks else signs, at + 1
        elif piece == "{":
            at = pattern.find("}", at) + 1 or len(pattern)
        elif len(piece) == 1 and piece not in ".^$*+? ":
            literal = piece
        elif len(piece) == 2 and piece[0] == "\\" and not piece[1].isalnum() and piece[1] != " ":
            literal = piece[1]
        following = pattern[at : at + 1]
        optional = following in _OPTIONAL and following != ""
        if literal and not optional:
            run += literal
        if not literal or optional or following == "+":
            known += [(run,)] if run else []
            run = ""
        if signs and not optional:
            known.append(signs)
    known += [(run,)] if run else []
    return max(known, key=lambda signs: min(map(len, signs)), default=()), at


def _after_head(pattern: str, at: int) -> int:
    """Return the place behind a group's "?:", "?P<name>", "?=" or the like."""
    if pattern[at : at + 1] != "?":
        return at
    if pattern.startswith("?P<", at):
        return pattern.find(">", at) + 1 or len(pattern)
    return at + (3 if pattern.startswith(("?<=", "?<!"), at) else 2)
