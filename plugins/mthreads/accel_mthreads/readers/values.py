"""Values as mthreads-gmi prints them, their units stuck to them: "81920MiB", "27C", "96.66W". "N/A" is no value."""

from typing import Final

from accel.text.pattern import pattern

_NOTHING: Final = ("", "-", "--", "N/A", "NA", "NONE", "NULL", "UNKNOWN", "NOT SUPPORT", "NOT SUPPORTED", "[N/A]")
_QUANTITY: Final = pattern(r"(-?\d{1,12}(?:\.\d+)?)\s*([A-Za-z%°]*)")
_PCI: Final = pattern(r"(?:([0-9a-fA-F]{4,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")
_LANES: Final = pattern(r"(\d{1,2})x\s*(?:\((\d{1,2})x\))?")
_BYTES: Final = {"kib": 10, "kb": 10, "mib": 20, "mb": 20, "gib": 30, "gb": 30}


def word(text: str | None) -> str | None:
    """Return the text, stripped; None if it stands for nothing."""
    text = (text or "").strip()
    return None if text.upper() in _NOTHING else text


def quantity(text: str | None, *units: str) -> float | None:
    """Return the number of "27C", "0%", "96.66W" if its unit is one of these; None for anything else."""
    found = _QUANTITY.fullmatch((text or "").strip())
    return float(found[1]) if found and found[2].lower().removeprefix("°") in units else None


def count(text: str | None) -> int | None:
    """Return a whole number, 0 or more, without a unit; None for anything else."""
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 12 else None


def size_bytes(text: str | None) -> int | None:
    """Return the bytes of "81920MiB"; None for anything else, and without a unit."""
    found = _QUANTITY.fullmatch((text or "").strip())
    shift = _BYTES.get(found[2].lower()) if found else None
    return int(float(found[1]) * 2**shift) if found and shift is not None and float(found[1]) >= 0 else None


def pci_address(text: str | None) -> str | None:
    """Return "0000:2a:00.0", lower case; None for anything else."""
    found = _PCI.fullmatch((text or "").strip())
    return f"{int(found[1] or '0', 16):04x}:{found[2]}:{found[3]}.{found[4]}".lower() if found else None


def lanes(text: str | None) -> tuple[int | None, int | None]:
    """Return how many lanes of how many are in use of "4x(16x)"; None for what is not there."""
    found = _LANES.fullmatch((text or "").strip())
    return (int(found[1]), int(found[2]) if found[2] else None) if found else (None, None)
