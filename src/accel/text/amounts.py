"""Parse values as tools print them. "N/A", "[Not Supported]", "ERR!", "-" and empty cells are None, never 0."""

from typing import Final

from accel.text.pattern import pattern

_NUMBER: Final = pattern(
    r"\[?(-?\d{1,18}(?:\.\d{1,9})?)\s*(?:[KMGT]i?B|MBytes|[KMG]Hz|mW|W|['°]?\s?C|℃|%|x|us|[KM]B/s|bank\(s\))?\]?"
)
_SIZE: Final = pattern(r"(\d{1,20}(?:[.,]\d{1,6})?)\s{0,4}(?:([kKmMgGtT]?)(i?[bB]|bytes)?)")
_PCI: Final = pattern(
    r"\s*(?:pci[:@])?(?:([0-9a-f]{2,8}):)?([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])\s*"
    r"|\s*(?:pci[:@](?:([0-9a-f]{4,8}):)?|([0-9a-f]{4,8}):)([0-9a-f]{2}):([0-9a-f]{2})\s*"
)
_QUANTITY: Final = pattern(r"(-?\d{1,18}(?:\.\d{1,9})?)\s*([A-Za-z%°]*)")
_NOTHING: Final = pattern(
    r"\[?(?:[-/?]+|n/?a|err!|unknown(?: error)?|none|null|unsupported|(?:get_\w+ )?not support(?:ed\b.*)?|not found"
    r"|not available in\b.*|(?<=\[)not available|could not collect|requested functionality.*|insufficient permissions?"
    r"|gpu (?:is lost|requires reset)|function not found|no permission\b.*|<?redacted>?|deprecated\b.*)?\]?"
)


def word(text: str | None) -> str | None:
    """Return the text with whitespace collapsed; None if it is a placeholder for a missing value.

    >>> word("  MI300X  OAM "), word("[Not Supported]"), word("ERR!"), word("--"), word("")
    ('MI300X OAM', None, None, None, None)
    """
    plain = " ".join((text or "").split())
    return None if _NOTHING.fullmatch(plain) else plain


def number(text: str | None) -> float | None:
    """Return the number before a unit; None for anything else.

    >>> number("57W"), number("39.00 C"), number("0.0%"), number("16x"), number("NA"), number(None)
    (57.0, 39.0, 0.0, 16.0, None, None)
    """
    found = _NUMBER.fullmatch((text or "").strip())
    return float(found[1]) if found else None


def whole(text: str | None) -> int | None:
    """Return a non-negative integer, with or without a unit after it; None for anything else."""
    value = number(text)
    return int(value) if value is not None and value == int(value) and value >= 0 else None


def percent(text: str | None) -> float | None:
    """Return a percentage from 0 to 100; None for anything else."""
    value = number(text)
    return value if value is not None and 0 <= value <= 100 else None


def count(text: str | None) -> int | None:
    """Return a non-negative integer; None for anything else."""
    plain = (text or "").strip()
    return int(plain) if plain.isascii() and plain.isdecimal() and len(plain) <= 12 else None


def mebibytes(text: str | None) -> int | None:
    """Return the number of bytes in "826", "826MiB" or "826 MB", all counted in units of 2**20.

    >>> mebibytes("81559 MiB"), mebibytes("15360"), mebibytes("N/A")
    (85520809984, 16106127360, None)
    """
    return size_bytes(text, "m")


def quantity(text: str | None, *units: str) -> float | None:
    """Return the number in "32C", "0%" or "27 W" if its unit is one of those given; None for anything else.

    The unit "" stands for a number without a unit.

    >>> quantity("51.0°C", "c"), quantity("51.0", "c"), quantity("51.0", "", "c"), quantity("N/A", "c")
    (51.0, None, 51.0, None)
    """
    found = _QUANTITY.fullmatch((text or "").strip())
    return float(found[1]) if found and found[2].lower().removeprefix("°") in units else None


def size_bytes(text: str | None, unit: str = "", *, unit_needed: bool = False) -> int | None:
    """Return the number of bytes in "8g", "64M", "16Gi", "512 MB" or a bare number; None for anything else.

    Units are powers of 1024.

    unit         unit of a bare number: "k", "m", "g", "t"; "" for bytes
    unit_needed  return None for a bare number: the text may have been truncated inside the number
    >>> size_bytes("8g"), size_bytes("65536k"), size_bytes("64"), size_bytes("64", unit_needed=True), size_bytes("much")
    (8589934592, 67108864, 64, None, None)
    """
    found = _SIZE.fullmatch((text or "").strip())
    if not found or (unit_needed and not (found[2] or found[3])):
        return None
    prefix = found[2] or ("" if found[3] else unit)
    steps = " kmgt".find((prefix or " ")[0].lower())
    return int(float(found[1].replace(",", ".")) * 1024**steps) if steps >= 0 else None


def capacity(text: str | None) -> int | None:
    """Return a memory size in bytes; None also for 0, because no device has zero memory."""
    return mebibytes(text) or None


def pci_address(text: str | None) -> str | None:
    """Return a PCI address such as "0000:0e:00.0" in lower case; None for "N/A" and anything else.

    The function defaults to 0.

    >>> pci_address("00000000:8A:00.0"), pci_address("00:01:00.0"), pci_address("PCI:0000:3b:00"), pci_address("N/A")
    ('0000:8a:00.0', '0000:01:00.0', '0000:3b:00.0', None)
    """
    found = _PCI.fullmatch(text or "")
    if not found:
        return None
    domain, bus, slot = found[1] or found[5] or found[6], found[2] or found[7], found[3] or found[8]
    return f"{int(domain or '0', 16):04x}:{bus}:{slot}.{found[4] or 0}".lower()
