"""JSON anywhere in a text, complete or truncated. Pure.

From truncated JSON, only certainly complete values count: everything before the last comma or closing bracket.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from accel.text.pattern import pattern

_START: Final = pattern(r"^[^\S\n]*(?:[\w$@~/:.-]{0,60}[>#$] ?)?(?=[\[{])", re.MULTILINE, exact_case=True)
_MOST_TRIES: Final = 30  # limits the work for a hostile text with many brackets
_LONGEST: Final = 2_000_000  # characters


def json_values(text: str) -> Iterator[Any]:
    """Yield the JSON values that start at the beginning of a line."""
    at, tries = 0, 0
    decoder = json.JSONDecoder()
    while tries < _MOST_TRIES:
        found = _START.search(text, at)
        if found is None:
            return
        tries += 1
        try:
            value, at = decoder.raw_decode(text, found.end())
        except (ValueError, RecursionError):
            at = found.end() + 1
            rest = text[found.end() : found.end() + _LONGEST]
            if re.match(r"[\[{]\s*[\[{\"]", rest):
                value = _mended(rest)
                if value is not None:
                    yield value
                    return
            continue
        yield value


def _mended(text: str) -> Any:
    """Return the value of truncated or damaged JSON; None if no part of it is complete."""
    safe: list[tuple[int, str]] = []  # possible cut points, with their open brackets
    stack: list[str] = []
    quoted = escaped = False
    for place, character in enumerate(text):
        if escaped:
            escaped = False
        elif quoted:
            escaped = character == "\\"
            quoted = character != '"'
        elif character == '"':
            quoted = True
        elif character in "[{":
            stack.append("]" if character == "[" else "}")
        elif character in "]}":
            if not stack or stack.pop() != character:
                break
            safe.append((place + 1, "".join(reversed(stack))))
            if not stack:
                break
        elif character == ",":
            safe.append((place, "".join(reversed(stack)) if len(stack) < 40 else ""))
    for place, closing in reversed(safe[-12:]):
        try:
            return json.loads(text[:place] + closing)
        except (ValueError, RecursionError):
            continue
    return None
