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


def span_text(seconds: float) -> str:
    """Return "45 s", "12 min", "3.5 h", "2.1 d".

    >>> span_text(45), span_text(720), span_text(12600), span_text(181440)
    ('45 s', '12 min', '3.5 h', '2.1 d')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172800 else f"{seconds / 86400:.1f} d"
