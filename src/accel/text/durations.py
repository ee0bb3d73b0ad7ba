"""Parse durations as people type them: "60", "60s", "1.5m", "2h", "500ms"."""

from typing import Final

from accel.text.pattern import pattern

_DURATION: Final = pattern(r"(\d{1,9}(?:\.\d{1,6})?)\s?(ms|s|sec|m|min|h|d)?")
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def seconds_of(text: str) -> float | None:
    """Return the number of seconds in "60s", "1.5m", "2h" or a bare number; None for anything else.

    >>> seconds_of("60"), seconds_of("1.5m"), seconds_of("500 ms"), seconds_of("soon"), seconds_of("-1s")
    (60.0, 90.0, 0.5, None, None)
    """
    found = _DURATION.fullmatch(text.strip())
    return float(found[1]) * _SECONDS[(found[2] or "s").lower()] if found else None
