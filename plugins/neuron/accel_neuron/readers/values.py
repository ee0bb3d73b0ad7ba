"""Values as printed by the Neuron tools: lists of numbers, sizes, PCI addresses. None if invalid."""

from typing import Final

from accel.text.pattern import pattern

_ADDRESS: Final = pattern(r"^(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$")
_MOST: Final = 4096  # limit of a range: a machine has a few hundred cores


def numbers(text: str) -> tuple[int, ...] | None:
    """Return the numbers of "12, 3, 4", "0-3", "0-1,8"; None if it is not such a list.

    >>> numbers("12, 3, 4"), numbers("0-3"), numbers("N/A"), numbers("3-1")
    ((12, 3, 4), (0, 1, 2, 3), None, None)
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = (piece.strip() for piece in part.partition("-"))
        if not (first.isascii() and first.isdecimal()) or (dash and not (last.isascii() and last.isdecimal())):
            return None
        start, end = int(first[:9]), int((last or first)[:9])
        if not 0 <= end - start < _MOST:
            return None
        found += range(start, end + 1)
    return tuple(found)


def addresses(text: str) -> tuple[str | None, str | None]:
    """Return (full PCI address, address without domain if the text has none).

    >>> addresses("0000:CC:00.0"), addresses("cc:00.0"), addresses("NA")
    (('0000:cc:00.0', None), (None, 'cc:00.0'), (None, None))
    """
    found = _ADDRESS.match(text.strip().lower())
    if not found:
        return None, None
    return (f"{found[1][-4:]}:{found[2]}", None) if found[1] else (None, found[2])


def count(value: object) -> int | None:
    """Return a non-negative integer, given as a number or as text; None for anything else."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdecimal():
        return int(value.strip()[:18])
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
