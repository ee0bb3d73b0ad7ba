"""What a check is: a pure function from facts and specs to problems.

    @check(code="NV004", name="driver-too-old", layer="driver")
    def driver_too_old(facts: Facts, specs: Specs) -> Iterator[Problem]:
        ...

A check ends in one of four ways: found (it yielded problems), clear (it yielded none), undecided
(`need` missed a fact), skipped (its premise is already known to be broken, or it does not apply).
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from accel.model.diagnosis import Evidence, Remedy, Severity
from accel.record import record

if TYPE_CHECKING:
    from accel.facts import Facts
    from accel.specs import Specs

Layer = Literal["hardware", "driver", "access", "toolkit", "framework", "application"]
LAYERS: Final[tuple[Layer, ...]] = ("hardware", "driver", "access", "toolkit", "framework", "application")

_Value = TypeVar("_Value")


class NotKnown(Exception):
    """Raised by `need`; the engine makes an Undecided of it."""

    def __init__(self, fact: str) -> None:
        super().__init__(fact)
        self.fact = fact


class DoesNotApply(Exception):
    """Raised by `applies`; the engine makes a Skipped of it."""


def need(value: _Value | None, fact: str) -> _Value:
    """Return the value; if it is None, end the check undecided, for want of `fact`."""
    if value is None:
        raise NotKnown(fact)
    return value


def applies(condition: bool, otherwise: str) -> None:
    """End the check as skipped, with this reason, unless the condition holds."""
    if not condition:
        raise DoesNotApply(otherwise)


@record
class Problem:
    """One instance of the fault. severity None: the check's own."""

    title: str
    detail: str | None = None
    devices: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    severity: Severity | None = None


@record
class Check:
    """A registered check. requires: names of checks whose finding makes this one pointless (it is skipped).

    explained_by  names of checks (or families) whose finding, if present, is the cause of this one: the finding is
                  kept, but is no cause. family groups several checks under one contract name.
    """

    code: str
    name: str
    layer: Layer
    run: "Callable[[Facts, Specs], Iterable[Problem]]"
    severity: Severity = "error"
    family: str | None = None
    requires: tuple[str, ...] = ()
    explained_by: tuple[str, ...] = ()


def check(
    *,
    code: str,
    name: str,
    layer: Layer,
    severity: Severity = "error",
    family: str | None = None,
    requires: tuple[str, ...] = (),
    explained_by: tuple[str, ...] = (),
) -> "Callable[[Callable[[Facts, Specs], Iterable[Problem]]], Check]":
    """Make a Check of a function. Its docstring becomes the check's page: see docs/add-a-check.md."""

    def register(run: "Callable[[Facts, Specs], Iterable[Problem]]") -> Check:
        return Check(
            code=code,
            name=name,
            layer=layer,
            run=run,
            severity=severity,
            family=family,
            requires=requires,
            explained_by=explained_by,
        )

    return register


__all__ = ["LAYERS", "Check", "Evidence", "Layer", "Problem", "Remedy", "applies", "check", "need"]
