r"""Secrets that continue on the next line: wrapped by a terminal or mail, joined by a backslash, "a" + "b". Pure.

HF_TOKEN=hf_QwErTyUiOp\      TOKEN = ("abcd1234"       > the key is hf_QwErTyUiOp
AsDfGhJkLzXc                          "efgh5678")      > AsDfGhJkLzXc
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Final

from accel.apps.privacy.shapes import is_irregular
from accel.apps.privacy.tables import tables
from accel.apps.privacy.values import GONE, looks_secret

_MARGIN: Final = r"[ \t>|#*+.]{0,40}"  # of a quoted mail, a comment, a table, a shell's continuation prompt
_NEXT: Final = re.compile(
    rf"{GONE}(?P<end>[\"'`]?[ \t]?[\\+&^]?[ \t]{{0,80}}(?:[|│][ \t]{{0,3}})?)\n"
    rf"(?P<margin>{_MARGIN}(?:[bruf]?[\"'`(]){{0,2}})"
    r"(?P<value>[A-Za-z0-9+/=_.~%!@#^*-]{2,400})(?P<close>[\"'`)\]},;:\\+&^ \t|│]{0,20})(?=\n|$)"
)
_SAME_LINE: Final = re.compile(
    rf"{GONE}[\"'`][ \t]{{0,3}}[+.&]{{0,2}}[ \t]{{0,3}}[bruf]?[\"'`](?P<value>[^\s\"'`]{{2,400}})(?=[\"'`])"
)
_MOST_LINES: Final = 60
_BEGIN: Final = re.compile(r"(?:hf|sk|[A-Za-z]{3,12}|\w{8,})[_-]")  # of a credential: no other word starts like this
_SHORTEST: Final = 6  # length of a continuation without a joining sign


def without_rests(text: str, seen: Callable[[str], None]) -> str:
    """Return the text without the continuations of secrets that are already removed."""
    if GONE not in text:
        return text

    def hidden(match: "re.Match[str]") -> str:
        seen(match["value"])
        begin, end = (place - match.start() for place in match.span("value"))
        return f"{match[0][:begin]}{GONE}{match[0][end:]}"

    text = _SAME_LINE.sub(hidden, text)
    for _ in range(_MOST_LINES):
        shown = _NEXT.sub(lambda m: hidden(m) if _goes_on(m) else m[0], text)
        if shown == text:
            break
        text = shown
    return text


def _goes_on(match: "re.Match[str]") -> bool:
    value, end = match["value"], match["end"].strip()
    if end[-1:] in ("\\", "+", "^", "&") or (end[:1] in ("'", '"') and match["margin"][-1:] in ("'", '"')):
        return "=" not in value.rstrip("=") and not value.startswith("-")
    if len(value) < _SHORTEST or "=" in value.rstrip("=") or match["close"].strip()[:1] == ":":
        return False
    return looks_secret(value) or (value.isalnum() and is_irregular(value))


def without_cut_tokens(text: str, seen: Callable[[str], None]) -> str:
    """Return the text without known kinds of credentials that a line break splits after a few letters."""

    def hidden(match: "re.Match[str]") -> str:
        if not looks_secret(match["value"]):
            return match[0]
        seen(match["value"])
        return f"{GONE}{match['end']}\n{match['margin']}{GONE}"

    begins = tuple(begin for begin in _begins() if begin in text)
    return _cut(begins).sub(hidden, text) if begins else text


@cache
def _begins() -> tuple[str, ...]:
    words = {word for row in tables().tokens for word in row.near if _BEGIN.fullmatch(word)}
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def _cut(begins: tuple[str, ...]) -> "re.Pattern[str]":
    words = "|".join(map(re.escape, begins))
    return re.compile(
        rf"(?<![A-Za-z0-9])(?:{words})[A-Za-z0-9_-]{{0,40}}(?P<end>[\"'`]?[ \t]?[\\+]?)\n"
        rf"(?P<margin>{_MARGIN}[\"'`]?)(?P<value>[A-Za-z0-9_-]{{6,200}})(?=[\"'`)\\;,. ]{{0,3}}(?:\n|$))"
    )
