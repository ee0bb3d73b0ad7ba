"""Expands alternatives after a slash: "Gaudi 2/3" is "Gaudi 2 / Gaudi 3", "MLU370-X4 / X8" is two of one line.

Seen    "Gaudi 2/3"  "MLU370-X4 / X8 / S4"  "GTX 1060/1070"  "HD 7550M/7570M/7650M"  "R7 240/340"  "MI250/MI250X"

The part after the slash takes the line's words from the name before it if that makes a product's name; even a code
that would be another maker's product by itself ("S4") does so.
"""

from collections.abc import Callable
from typing import Final

from accel.text.pattern import pattern

_SLASH: Final = pattern(
    r"((?:[^\W_]+[ -]){0,3}[^\W_]{1,8}[ -])([a-z]{0,3}\d{1,4}[a-z]{0,3}(?: ti| xtx?| super)?)"
    r"((?: ?/ ?[a-z]{0,3}\d{1,4}[a-z]{0,3}(?: ti| xtx?| super)?(?![\w-]| \d))+)"
)


def written_out(text: str, names: Callable[[str], bool]) -> str:
    """Return the text with the line's words before each alternative.

    names: returns whether a text is a product's name.
    """
    return (
        _SLASH.sub(lambda found: _spelt(found[1], found[2], found[3], found[0], names), text) if "/" in text else text
    )


def _spelt(line: str, first: str, others: str, said: str, names: Callable[[str], bool]) -> str:
    words = line.replace("-", "- ").split(" ")
    for start in range(len(words)):
        stem = " ".join(words[start:]).replace("- ", "-")
        if not stem.strip() or not names(f"{stem}{first}"):
            continue
        each = [one.strip() for one in others.split("/") if one.strip()]
        if all(names(f"{stem}{one}") for one in each):
            head = said[: len(line) - len(stem)]
            return head + " / ".join(f"{stem}{one}" for one in (first, *each))
    return said
