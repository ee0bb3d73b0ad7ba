"""Values as hy-smi prints them: "51.0C", "50.0c", "95.0W", "87%", "N/A", and bare in JSON."""

from typing import Final

from accel.text.pattern import pattern

_NOTHING: Final = ("", "-", "--", "N/A", "NA", "NONE", "NULL", "UNKNOWN", "NOT SUPPORT", "NOT SUPPORTED", "UNSUPPORTED")
_QUANTITY: Final = pattern(r"(-?\d{1,18}(?:\.\d+)?)\s*([A-Za-z%°]*)")
_PCI: Final = pattern(r"(?:([0-9a-fA-F]{4,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")


def word(text: str | None) -> str | None:
    """Return the text, stripped; None if it stands for nothing."""
    text = (text or "").strip()
    return None if text.upper() in _NOTHING else text


def quantity(text: str | None, *units: str) -> float | None:
    """Return the number of "51.0C" if its unit is one of these, "" for a bare one; None for anything else."""
    found = _QUANTITY.fullmatch((text or "").strip())
    return float(found[1]) if found and found[2].lower().removeprefix("°") in units else None


def pci_address(text: str | None) -> str | None:
    """Return "0000:05:00.0", lower case; None for anything else."""
    found = _PCI.fullmatch((text or "").strip())
    return f"{int(found[1] or '0', 16):04x}:{found[2]}:{found[3]}.{found[4]}".lower() if found else None
