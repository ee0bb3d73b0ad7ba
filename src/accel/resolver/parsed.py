"""Versions that are compared again and again, each parsed once."""

from functools import lru_cache

from packaging.version import Version


@lru_cache(maxsize=4096)
def parsed(version: str) -> Version:
    """Return a version as packaging parses it. Raises InvalidVersion."""
    return Version(version)
