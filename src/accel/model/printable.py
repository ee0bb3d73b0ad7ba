"""Removes invisible characters that terminals, browsers or editors act on.

These are control characters other than tab and newline, characters that change the text direction, zero-width
characters, and invalid ones. Everything that comes from a tool, a file or a plugin goes through this before it is
shown.
Source  Unicode 16, "Bidirectional Algorithm", table 2-1; ECMA-48, "Control functions"
"""

from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import re

INSTEAD: Final = "\ufffd"
_UNSEEN: Final = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff"
)


@cache
def _unseen() -> "re.Pattern[str]":
    import re

    return re.compile(f"[{_UNSEEN}]")


def printable(text: str) -> str:
    """Return the text with each unseen sign as "\N{REPLACEMENT CHARACTER}"; tabs and newlines stay.

    >>> printable("GPU\\x1b[2J 0\\u202e\\n")
    'GPU\N{REPLACEMENT CHARACTER}[2J 0\N{REPLACEMENT CHARACTER}\\n'
    """
    if text.isprintable() or text.replace("\n", "").isprintable():
        return text
    return _unseen().sub(INSTEAD, text)


def escaped(document: str) -> str:
    r"""Return a JSON document with each unseen sign as \uXXXX. JSON itself escapes those below the blank alone.

    A lone half of a surrogate pair, which no reader of JSON takes, becomes a replacement character.

    >>> escaped('{"name": "GPU \u202e"}')
    '{"name": "GPU \\u202e"}'
    """
    if document.isascii() and "\x7f" not in document:
        return document
    return _unseen().sub(_escape, document)


def _escape(found: "re.Match[str]") -> str:
    sign = ord(found[0])
    if 0xD800 <= sign <= 0xDFFF:
        return INSTEAD
    if sign > 0xFFFF:
        high, low = divmod(sign - 0x10000, 0x400)
        return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
    return f"\\u{sign:04x}"
