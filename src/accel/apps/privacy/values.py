"""Finds the end of a value in a text, quoted or not, and decides whether it can be a secret. Pure."""

import re
from typing import Final

from accel.apps.privacy.tables import pattern, word_list

GONE: Final = "<redacted>"
PLACEHOLDER: Final = re.compile(  # written by placeholders.py
    r"(?:host|user|usér|container|container-name|pod|pod-uid|namespace|share|account|repository|serial|guid|mac|uuid|ip|sid|cloud"
    r"|email|phone|address|card|id-number|account-number|container-id)-\d{1,6}"
)
Place = tuple[int, int]
_BARE: Final = re.compile(r"[^\s\"'<>,;&|`]{1,4000}")
_WORD: Final = re.compile(r"[^\s\"'`]{1,4000}")
_TAIL: Final = re.compile(r"[^\n\"'`<>]{0,300}")
_LONGEST: Final = 4000  # characters of a quoted value
_MOST_WORDS: Final = 6
_PATH: Final = re.compile(r"(?:[A-Za-z]:[\\/]|~?/|\.{1,2}/|[\w.-]+/)[\w./\\ -]*$")
_ROOTED: Final = re.compile(r"(?:[A-Za-z]:[\\/]|~/|\.{1,2}/|/)[\w./\\ -]*")
_LONG: Final = 30  # characters; paths without words are shorter
_SHORTEST: Final = 4


def value_at(text: str, at: int, *, whole_line: bool = False, words: bool = False) -> Place | None:
    """Return (begin, end) of the value that starts at `at`, without its quotes; None if there is none.

    whole_line  whether an unquoted value may contain commas and semicolons, because nothing can follow it in the line
    words       whether it may also contain blanks, as in YAML
    """
    if opened := pattern("opening_quote").match(text, at):
        quote, begin = opened["quote"], opened.end()
        end = _closing(text, begin, quote)
        return (begin, end) if end > begin else None
    if angled := pattern("in_angle_brackets").match(text, at):
        return angled.span("value")
    bare = (_WORD if whole_line else _BARE).match(text, at)
    if bare is None:
        return None
    end = bare.end()
    if words:
        tail = _TAIL.match(text, end)
        if (
            tail
            and tail[0].strip()
            and text[tail.end() : tail.end() + 1] in ("", "\n")
            and len(tail[0].split()) < _MOST_WORDS
        ):
            return at, end + len(tail[0].rstrip())
    while end > at and text[end - 1] in ";)]},." and not _is_opened(text, at, end):
        end -= 1
    return (at, end) if end > at else None


def _is_opened(text: str, at: int, end: int) -> bool:
    """Return whether the bracket at the end of a value is opened inside it."""
    opening = {")": "(", "]": "[", "}": "{"}.get(text[end - 1])
    return opening is not None and opening in text[at:end]


def _closing(text: str, begin: int, quote: str) -> int:
    """Return the end of a quoted value: its closing quote, or else the end of the line."""
    limit = begin + _LONGEST
    line = text.find("\n", begin, limit) if len(quote) < 3 else -1
    limit = line if line >= 0 else min(limit, len(text))
    at = text.find(quote, begin, limit)
    while at > begin and len(quote) == 1 and text[at - 1] == "\\" and text[at - 2 : at - 1] != "\\":
        at = text.find(quote, at + 1, limit)
    return at if at >= 0 else limit


def can_be_secret(value: str) -> bool:
    """Return whether the value of a secret's key is a secret, and not a placeholder, a reference or a plain word."""
    low = value.lower().strip(" \t.,:;!")
    if (
        not low
        or PLACEHOLDER.fullmatch(low)
        or low in word_list("plain_values")
        or GONE in value
        or pattern("reference_value").match(value)
        or _is_path(value)
    ):
        return False
    if " " in low and low.split()[0].rstrip(",.:") in word_list("plain_values") and not any(c.isdecimal() for c in low):
        return False  # a sentence, such as "expected a string"
    return not (low.isdecimal() and len(low) < _SHORTEST)


def _is_path(value: str) -> bool:
    """Return whether a value is an absolute path, and not base64 that starts with a slash."""
    return _ROOTED.fullmatch(value) is not None and not (len(value) >= _LONG and _is_mixed(value))


def looks_secret(value: str) -> bool:
    """Return whether a value looks like a secret if its key alone does not decide it.

    >>> looks_secret("hunter2x"), looks_secret("torch.float16"), looks_secret("/run/x"), looks_secret("12.4")
    (True, False, False, False)
    """
    if not can_be_secret(value) or len(value) < _SHORTEST or " " in value.strip():
        return False
    if _PATH.fullmatch(value) and not _is_mixed(value):
        return False
    if value.isdecimal():
        return len(value) >= 6
    if pattern("plain_name").fullmatch(value) or pattern("versioned_word").fullmatch(value.lower()):
        return len(value) >= 16 and _is_mixed(value) and "." not in value and "_" not in value
    return any(c.isdecimal() for c in value) or _is_mixed(value) or not value.isascii()


def _is_mixed(value: str) -> bool:
    inner = value[1:]
    return (any(c.isupper() for c in inner) and any(c.islower() for c in value) and not value.isalpha()) or (
        value.isalpha()
        and len(value) >= 16
        and sum(a.islower() != b.islower() for a, b in zip(value, inner, strict=False)) >= 5
    )
