"""Amounts as hl-smi prints them: "264W", "98304MiB", "512Mib", "98304 MB", "N/A". What is none is None."""

from typing import Final

from accel.text.pattern import pattern

_NUMBER: Final = pattern(r"^\s*(-?\d+(?:\.\d+)?)(?:\s*([A-Za-z%°]+))?(?:\s*\])?\s*$")
_UNITS: Final = {"": 2**20, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_ADDRESS: Final = pattern(r"^(?:[0-9a-f]{4})?([0-9a-f]{4}):([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])$")


def number(text: str | None) -> float | None:
    """Return the number of "264 W", "35C", "12 %", "7"; None for what is no number."""
    found = _NUMBER.match(text or "")
    return float(found[1]) if found else None


def whole(text: str | None) -> int | None:
    """Return a count; None for what is no whole number."""
    value = number(text)
    return int(value) if value is not None and value == int(value) and value >= 0 else None


def percent(text: str | None) -> float | None:
    """Return 0 to 100; None for what is not."""
    value = number(text)
    return value if value is not None and 0 <= value <= 100 else None


def size_bytes(text: str | None) -> int | None:
    """Return bytes. hl-smi spells the unit MiB, Mib or MB and means 2**20 by each; without a unit it is that too.

    >>> size_bytes("512Mib"), size_bytes("98304 MB"), size_bytes("128 GiB"), size_bytes("N/A")
    (536870912, 103079215104, 137438953472, None)
    """
    found = _NUMBER.match(text or "")
    if not found or (found[2] or "")[:1].lower() not in _UNITS or float(found[1]) < 0:
        return None
    return round(float(found[1]) * _UNITS[(found[2] or "")[:1].lower()])


def address(text: str | None) -> str | None:
    """Return "0000:20:1d.0" of it, or of "00000000:20:1D.0"; None for what is no whole PCI address."""
    found = _ADDRESS.match((text or "").strip().lower())
    return f"{found[1]}:{found[2]}:{found[3]}.{found[4]}" if found else None


def stated(text: str | None) -> str | None:
    """Return a text that says something: None for "", "N/A", "[N/A]", "unknown"."""
    value = (text or "").strip()
    return None if value.strip("[]").lower() in ("", "n/a", "na", "none", "unknown", "not supported") else value
