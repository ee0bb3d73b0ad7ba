"""Limits that a text states, for the checks about limits."""

from accel.facts.questions import Facts
from accel.model.observation import Fact


def lowest(facts: Facts, name: str) -> tuple[Fact | None, int | None]:
    """Return (fact, value) of the lowest limit with this name; (fact, None) if unlimited, (None, None) if unknown."""
    stated = facts.stated(name)
    numbered = [(value, fact) for fact in stated if (value := fact.number("value")) is not None]
    if numbered:
        least, fact = min(numbered, key=lambda pair: pair[0])
        return fact, least
    return (stated[0], None) if stated else (None, None)


def size_in_words(size_bytes: int) -> str:
    """Format a size for people.

    >>> size_in_words(67108864), size_in_words(8 * 2**30), size_in_words(65536)
    ('64 MiB', '8 GiB', '64 KiB')
    """
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size_bytes >= scale:
            return f"{size_bytes / scale:.4g} {unit}"
    return f"{size_bytes} bytes"
