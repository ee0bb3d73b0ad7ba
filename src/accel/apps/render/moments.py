"""Formats times for people and programs."""

import time


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
