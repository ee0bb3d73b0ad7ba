"""Sizes as macOS prints them: "16 GB", "1536 MB", "17179869184". It means binary units of memory."""

from typing import Final

from accel.text.pattern import pattern

_SIZE: Final = pattern(r"^\s*(\d+(?:[.,]\d+)?)\s*([KMGT]?)(?:i?B|bytes)?\s*$")
_UNITS: Final = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def size_bytes(text: object) -> int | None:
    """Return bytes; None for what is no size.

    >>> size_bytes("16 GB"), size_bytes("1536 MB"), size_bytes("Yes")
    (17179869184, 1610612736, None)
    """
    found = _SIZE.match(text) if isinstance(text, str) else None
    return round(float(found[1].replace(",", ".")) * _UNITS[found[2]]) if found else None
