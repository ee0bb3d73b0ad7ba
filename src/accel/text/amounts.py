"""Values as tools print them. "N/A", "NA", "ERR!", "-" and an empty cell are no value, and never 0."""

from typing import Final

from accel.text.pattern import pattern

_NUMBER: Final = pattern(r"(-?\d{1,12}(?:\.\d{1,6})?)\s*(?:MiB|MB|KB|KiB|MHz|mW|W|°?C|℃|%|x)?")
_SIZE: Final = pattern(r"(\d{1,20}(?:[.,]\d{1,6})?)\s{0,4}(?:([kKmMgGtT]?)(i?[bB]|bytes)?)")
_PCI: Final = pattern(r"\s*(?:([0-9a-fA-F]{2,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])\s*")
_QUANTITY: Final = pattern(r"(-?\d{1,18}(?:\.\d{1,9})?)\s*([A-Za-z%°]*)")
_NOTHING: Final = (
    *("", "-", "--", "/", "?", "n/a", "na", "err!", "unknown", "none", "null"),
    *("not supported", "not support", "unsupported"),
)


def word(text: str | None) -> str | None:
    """Return the text with single blanks; None if it stands for nothing."""
    plain = " ".join((text or "").split())
    return None if plain.strip("[]").lower() in _NOTHING else plain


def number(text: str | None) -> float | None:
    """Return the number before a unit; None for anything else.

    >>> number("57W"), number("39.00 C"), number("0.0%"), number("NA"), number(None)
    (57.0, 39.0, 0.0, None, None)
    """
    found = _NUMBER.fullmatch((text or "").strip())
    return float(found[1]) if found else None


def count(text: str | None) -> int | None:
    """Return a whole number of 0 or more; None for anything else."""
    plain = (text or "").strip()
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) <= 12 else None


def mebibytes(text: str | None) -> int | None:
    """Return the bytes of "826", "826MiB" or "826 MB", which the tool counts in 2**20."""
    amount = number(text)
    return None if amount is None or amount < 0 else int(amount * 2**20)


def quantity(text: str | None, *units: str) -> float | None:
    """Return the number of "32C", "0%", "27 W" if its unit is one of these, "" for a bare one; None for anything else.

    >>> quantity("51.0°C", "c"), quantity("51.0", "c"), quantity("51.0", "", "c"), quantity("N/A", "c")
    (51.0, None, 51.0, None)
    """
    found = _QUANTITY.fullmatch((text or "").strip())
    return float(found[1]) if found and found[2].lower().removeprefix("°") in units else None


def size_bytes(text: str | None, *, unit_needed: bool = False) -> int | None:
    """Return the bytes of "8g", "64M", "16Gi", "512 MB" or a bare number, in units of 1024; None for anything else.

    unit_needed  without a unit it is none: a text may be cut within the number
    >>> size_bytes("8g"), size_bytes("65536k"), size_bytes("64"), size_bytes("64", unit_needed=True), size_bytes("much")
    (8589934592, 67108864, 64, None, None)
    """
    found = _SIZE.fullmatch((text or "").strip())
    if not found or (unit_needed and not (found[2] or found[3])):
        return None
    return int(float(found[1].replace(",", ".")) * 1024 ** " kmgt".index((found[2] or " ").lower()))


def capacity(text: str | None) -> int | None:
    """Return the bytes of a memory's size; None also for 0: no device has none."""
    return mebibytes(text) or None


def pci_address(text: str | None) -> str | None:
    """Return "0000:0e:00.0", lower case; None for "N/A" and anything else.

    >>> pci_address("00000000:8A:00.0"), pci_address("00:01:00.0"), pci_address("N/A")
    ('0000:8a:00.0', '0000:01:00.0', None)
    """
    found = _PCI.fullmatch(text or "")
    if not found:
        return None
    return f"{int(found[1] or '0', 16):04x}:{found[2]}:{found[3]}.{found[4]}".lower()
