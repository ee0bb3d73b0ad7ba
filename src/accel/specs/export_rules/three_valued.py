"""Three-valued logic (None is undecided), and numbers known only within bounds."""

from collections.abc import Iterable
from typing import Final

from accel.model.dataclass import dataclass

Truth = bool | None
INFINITE: Final = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """A non-negative number between two inclusive bounds; equal bounds mean that it is known exactly."""

    low: float = 0.0
    high: float = INFINITE

    @property
    def known(self) -> bool:
        return self.low == self.high

    def at_least(self, limit: float) -> Truth:
        return True if self.low >= limit else False if self.high < limit else None

    def above(self, limit: float) -> Truth:
        return True if self.low > limit else False if self.high <= limit else None

    def plus(self, other: "Bounds") -> "Bounds":
        return Bounds(low=self.low + other.low, high=self.high + other.high)


def exactly(value: float) -> Bounds:
    """Return the bounds of an exactly known number."""
    return Bounds(low=value, high=value)


def negated(value: Truth) -> Truth:
    """Return the opposite; undecided stays undecided.

    >>> negated(True), negated(None)
    (False, None)
    """
    return None if value is None else not value


def all_of(values: Iterable[Truth]) -> Truth:
    """Return no if one is no, else undecided if one is, else yes.

    >>> all_of([True, None]), all_of([False, None])
    (None, False)
    """
    found = list(values)
    return False if False in found else None if None in found else True


def any_of(values: Iterable[Truth]) -> Truth:
    """Return yes if one is yes, else undecided if one is, else no.

    >>> any_of([False, None]), any_of([True, None])
    (None, True)
    """
    found = list(values)
    return True if True in found else None if None in found else False
