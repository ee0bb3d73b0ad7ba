"""Parse numbers with units, as tools print them and as rules state them.

"MB" means 2**20 bytes in one tool and 10**6 in another. The rule's unit decides the base; the printed unit only changes
the prefix. A number with a unit of another kind is not a value of the fact.
"""

import math
from typing import Final

from accel.text.pattern import pattern

_NUMBER: Final = pattern(r"([-+]?\d{1,18}(?:\.\d{1,9})?)\s*([A-Za-z%°℃/]*)")
_PREFIXES: Final = ("", "K", "M", "G", "T")
_BYTES: Final = {
    **{f"{prefix}iB" if prefix else "B": (1024.0**power, 1024) for power, prefix in enumerate(_PREFIXES)},
    **{f"{prefix}B": (1000.0**power, 1000) for power, prefix in enumerate(_PREFIXES) if prefix},
}
_OTHERS: Final = {  # unit: (kind, factor, offset)
    "W": ("watts", 1.0, 0.0),
    "mW": ("watts", 0.001, 0.0),
    "kW": ("watts", 1000.0, 0.0),
    "C": ("celsius", 1.0, 0.0),
    "mC": ("celsius", 0.001, 0.0),
    "dC": ("celsius", 0.1, 0.0),
    "K": ("celsius", 1.0, -273.15),
    "%": ("percent", 1.0, 0.0),
    "fraction": ("percent", 100.0, 0.0),
}
_SPELLINGS: Final = {"°C": "C", "℃": "C", "DEGC": "C", "PCT": "%", "WATT": "W", "WATTS": "W"}
UNITS: Final = {**dict.fromkeys(_BYTES, "bytes"), **{unit: kind for unit, (kind, _, _) in _OTHERS.items()}}
"""Every unit that a rule may state, and what it measures: bytes, watts, celsius or percent."""


def quantity(text: str, unit: str) -> float | None:
    """Return a number in bytes, watts, degrees Celsius or percent; None for a number of another kind.

    >>> quantity("64", "GiB") == 64 * 2**30, quantity("512 MB", "GiB") == 512 * 2**20, quantity("300 K", "MiB")
    (True, True, None)
    >>> quantity("41500 mW", "W"), quantity("0.5", "fraction"), quantity("N/A", "W"), quantity("61°C", "C")
    (41.5, 50.0, None, 61.0)
    """
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    number, printed = float(found[1]), found[2]
    scale = _of_bytes(unit, printed) if unit in _BYTES else _of_other(unit, printed)
    if scale is None:
        return None
    value = number * scale[0] + scale[1]
    return value if math.isfinite(value) else None


def _of_bytes(unit: str, printed: str) -> tuple[float, float] | None:
    """Return (factor, offset): the base comes from the rule's unit, the prefix from the printed one."""
    factor, base = _BYTES[unit]
    if not printed:
        return factor, 0.0
    if printed.upper() in ("B", "BYTES", "BYTE"):
        return 1.0, 0.0
    prefix, ending = printed[:1].upper(), printed[1:].lower()
    if prefix not in _PREFIXES[1:] or ending not in ("", "b", "ib"):
        return None
    if ending == "" and unit[:1].upper() != prefix:  # a bare K may be kelvin
        return None
    return float((1024 if ending == "ib" else base) ** _PREFIXES.index(prefix)), 0.0


def _of_other(unit: str, printed: str) -> tuple[float, float] | None:
    kind, factor, offset = _OTHERS[unit]
    if not printed:
        return factor, offset
    spelt = _SPELLINGS.get(printed.upper(), printed).lower()
    stated = next((scale for name, scale in _OTHERS.items() if name.lower() == spelt), None)
    return (stated[1], stated[2]) if stated is not None and stated[0] == kind else None
