"""Parse lists of numbers and ranges, as the kernel prints processors: "0-51,104-155". Pure."""

from typing import Final

_MOST: Final = 1 << 16  # numbers of a span


def spanned(text: str) -> frozenset[int]:
    """Return the numbers in a list; entries that are not numbers or complete ranges are ignored.

    >>> sorted(spanned("0-2,8")), spanned("all"), spanned("3-1")
    ([0, 1, 2, 8], frozenset(), frozenset())
    """
    found: set[int] = set()
    for part in text.split(",")[:1024]:
        first, dash, last = part.strip().partition("-")
        if first.isascii() and first.isdecimal() and len(first) < 8:
            end = int(last) if last.isascii() and last.isdecimal() and len(last) < 8 else int(first)
            if (not dash or last) and end - int(first) < _MOST:
                found.update(range(int(first), end + 1))
    return frozenset(found)
