"""Formats values in base units, and times, for people and programs."""

import time


def bytes_text(value: int | None) -> str:
    """Return "80.0 GiB", "512 MiB"; "?" if unknown."""
    if value is None:
        return "?"
    for unit, size in (("TiB", 2**40), ("GiB", 2**30)):
        if value >= size:
            return f"{value / size:.1f} {unit}"
    return f"{value / 2**20:.0f} MiB"


def number_text(value: float | None, unit: str) -> str:
    """Return "61 °C"; "?" if unknown."""
    return "?" if value is None else f"{value:.0f} {unit}"


def plural(count: int, noun: str) -> str:
    """Return "1 error", "2 errors"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def of_text(part: int | None, whole: int | None) -> str:
    """Return "40.0/79.6 GiB", both in the unit of the whole; "?" if unknown."""
    if whole is None:
        return f"{bytes_text(part)}/?"
    size, unit = next(((s, u) for u, s in (("TiB", 2**40), ("GiB", 2**30)) if whole >= s), (2**20, "MiB"))
    return f"{'?' if part is None else f'{part / size:.1f}'}/{whole / size:.1f} {unit}"


def rate_text(value: float | None, unit: str = "FLOPS") -> str:
    """Return "989 TFLOPS", "1.98 PFLOPS", "3.35 TB/s" (decimal prefixes); "?" if unknown."""
    if value is None:
        return "?"
    for prefix, size in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if value >= size:
            return f"{value / size:.3g} {prefix}{unit}" if value / size < 1000 else f"{value / size:.0f} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def utc_text(moment: float) -> str:
    """Return seconds since 1970 as "2026-01-02T03:04:05.678Z".

    >>> utc_text(1767323045.6784)
    '2026-01-02T03:04:05.678Z'
    """
    whole = round(moment * 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole // 1000))}.{whole % 1000:03d}Z"


def clock_text(moment: float) -> str:
    """Return the local time of day, "14:05:09"."""
    return time.strftime("%H:%M:%S", time.localtime(moment))
