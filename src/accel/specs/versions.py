"""Versions as comparable tuples of numbers."""

from functools import lru_cache

Numbers = tuple[int, ...]


@lru_cache(maxsize=8192)
def numbers(version: str) -> Numbers:
    """Return the leading numbers of a version, for comparing.

    >>> numbers("525.60.13"), numbers("12.1"), numbers("13.5.x")
    ((525, 60, 13), (12, 1), (13, 5))
    """
    found = []
    for part in version.strip().split("."):
        if not part.isdecimal():
            break
        found.append(int(part))
    return tuple(found)
