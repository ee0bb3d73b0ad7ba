"""Values as cnmon prints them. "N/A", "/" and masked digits ("xxxxx MiB") are no value, and never 0."""

from typing import Final

from accel.text.pattern import pattern

_NOTHING: Final = ("", "-", "--", "/", "N/A", "NA", "NONE", "NULL", "UNKNOWN", "NOT SUPPORT", "NOT SUPPORTED")
_QUANTITY: Final = pattern(r"(-?\d{1,12}(?:\.\d+)?)\s*([A-Za-z%°]*)")
_PCI: Final = pattern(r"(?:([0-9a-fA-F]{4,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")
_BYTES: Final = {"b": 0, "kb": 10, "kib": 10, "mb": 20, "mib": 20, "m": 20, "gb": 30, "gib": 30}


def word(text: str | None) -> str | None:
    """Return the text, stripped; None if it stands for nothing."""
    text = (text or "").strip()
    return None if text.upper() in _NOTHING else text


def quantity(text: str | None, *units: str) -> float | None:
    """Return the number of "32C", "0%", "27 W" if its unit is one of these; None for anything else."""
    found = _QUANTITY.fullmatch((text or "").strip())
    return float(found[1]) if found and found[2].lower().removeprefix("°") in units else None


def count(text: str | None) -> int | None:
    """Return a whole number, 0 or more, without a unit; None for anything else."""
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 12 else None


def size_bytes(text: str | None) -> int | None:
    """Return the bytes of "23308 MiB"; cnmon's MB are 2**20 bytes. None for anything else, and without a unit."""
    found = _QUANTITY.fullmatch((text or "").strip())
    shift = _BYTES.get(found[2].lower()) if found else None
    return int(float(found[1]) * 2**shift) if found and shift is not None and float(found[1]) >= 0 else None


def pci_address(text: str | None) -> str | None:
    """Return "0000:1b:00.0", lower case; None for anything else."""
    found = _PCI.fullmatch((text or "").strip())
    return f"{int(found[1] or '0', 16):04x}:{found[2]}:{found[3]}.{found[4]}".lower() if found else None
