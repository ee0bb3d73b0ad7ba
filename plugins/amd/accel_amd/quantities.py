"""Parses values of amd-smi, rocm-smi and sysfs. Pure.

    550 W      64289 MB     38.82 %     79 °C     N/A     <redacted>     (1725Mhz)     0x79ccd55167a2124a
    {"value": 100, "unit": "%"}
amd-smi's and rocm-smi's KB, MB and GB are powers of 1024.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from accel.text import amounts
from accel.text.pattern import pattern

_ENDED: Final = pattern(r"(?:\d ?(?:W|°?[cC]|%|[KMGT]?i?B|M[Hh]z)|N/A|[|=+-])\s*$", exact_case=True)


def word(value: object) -> str | None:
    """Return a text; None for the tools' words for "unknown" and for anything that is not a plain value."""
    if isinstance(value, Mapping):
        value = value.get("value")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return amounts.word(str(value)[:200])


def product_name(value: object) -> str | None:
    """Return a product's name; None if the tool only had a number, as without a pci.ids file."""
    text = word(value)
    return None if text is None or re.fullmatch(r"(?i)(?:0x)?[0-9a-f]{1,8}", text) else text


def number(value: object) -> float | None:
    """Return the number at the start of a value, regardless of its unit."""
    found = re.match(r"\(?(-?\d{1,18}(?:\.\d{1,9})?)(?![\w.]*x[0-9a-f])", word(value) or "")
    return float(found[1]) if found else None


def count(value: object) -> int | None:
    """Return a non-negative integer, decimal or with 0x; None for anything else, -1 and an unsigned -1."""
    text = word(value) or ""
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", text):
        return int(text, 16)
    if re.fullmatch(r"\d{1,19}", text):
        return int(text) if int(text) != 0xFFFFFFFF else None
    found = number(value)
    return int(found) if found is not None and found >= 0 and found != 0xFFFFFFFF else None


def percent(value: object) -> float | None:
    """Return a percentage; None if it is not one: 65535 is the firmware's "unknown"."""
    return amounts.percent(word(value))


def celsius(value: object) -> float | None:
    """Return a temperature; None if it is implausible for a die."""
    found = number(value)
    return found if found is not None and -50 < found < 250 else None


def watts(value: object) -> float | None:
    """Return a power; None if it is implausible for a board: 65535 is the firmware's "unknown"."""
    found = number(value)
    return found if found is not None and 0 <= found < 20000 else None


def size_bytes(value: object, unit: str) -> int | None:
    """Return a size in bytes; `unit` applies if the value has none."""
    if isinstance(value, Mapping):
        unit = str(value.get("unit") or unit)
    return amounts.size_bytes(word(value), unit.rstrip("bB"))


def whole_lines(text: str) -> list[str]:
    """Return the lines without a possibly truncated last one: it has no newline, and no unit or border.

    >>> whole_lines("a: 1\\nb: 12"), whole_lines("a: 1\\nb: 12 W")
    (['a: 1'], ['a: 1', 'b: 12 W'])
    """
    lines = text.splitlines()
    return lines if not lines or text[-1] in "\r\n" or _ENDED.search(lines[-1]) else lines[:-1]


def lower_keys(value: Any) -> Any:
    """Return nested data with its keys in lower case, stripped of surrounding spaces and colons."""
    if isinstance(value, Mapping):
        return {str(key).strip(" :\t").lower(): lower_keys(item) for key, item in value.items()}
    if isinstance(value, list):
        return [lower_keys(item) for item in value]
    return value
