"""Durations: parsed as people type them ("60", "60s", "1.5m", "2h", "500ms"), and formatted for people."""

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


def span_text(seconds: float) -> str:
    """Return how long something took: "45 s", "12 min", "3.5 h", "2.1 d".

    >>> span_text(45), span_text(720), span_text(12600), span_text(181440)
    ('45 s', '12 min', '3.5 h', '2.1 d')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172800 else f"{seconds / 86400:.1f} d"


def age_text(seconds: float) -> str:
    """Return how long ago something happened, rounded down.

    >>> age_text(59), age_text(150), age_text(7300), age_text(450_000)
    ('59 s', '2 min', '2 h', '5 d')
    """
    whole = max(0, int(seconds))
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if whole >= 2 * size or (unit == "min" and whole >= size):
            return f"{whole // size} {unit}"
    return f"{whole} s"
