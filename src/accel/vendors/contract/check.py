"""What a check is: a pure function from facts and specs to problems.

    @check(
        code="NV001", name="driver-too-old", layer="driver",
        reads=("cuda-driver-outdated",),
        needs=("nvidia.driver.version", "framework.torch|jax|tensorflow.cuda_version"),
    )
    def driver_too_old(facts: Facts, specs: Specs) -> Iterator[Problem]:
        ...

A check ends in one of four ways:

found            it yielded problems
clear            it yielded none, and all that it `needs` is known
undecided        something that it needs is not known, or `need` missed a fact
not applicable   what it is about is not here; or it has no `needs`, and nothing that it `reads` was seen;
                 or a fault that comes first was found
So a check that only looks for an error message is never clear: that a text lacks the message proves nothing.

A check is run only if a fact that it reads is stated or something that it needs is here; one with neither reads nor
needs asks the records alone, and is always run. With `asks` it is run less often: see Check.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from accel.model.dataclass import dataclass
from accel.model.diagnosis import Evidence, Remedy, Severity

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.observation import Fact
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
    """Raised by `applies`; the engine makes a NotApplicable of it."""


def need(value: _Value | None, fact: str) -> _Value:
    """Return the value; if it is None, end the check undecided: `fact` is not known."""
    if value is None:
        raise NotKnown(fact)
    return value


def applies(condition: bool, otherwise: str) -> None:
    """End the check as not applicable, with this reason, unless the condition holds."""
    if not condition:
        raise DoesNotApply(otherwise)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One instance of the fault. severity None: the check's own.

    defers  what it explains knows better what to do: those remedies take the place of these
    """

    title: str
    detail: str | None = None
    devices: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    severity: Severity | None = None
    defers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A registered check.

    reads         the facts that it asks for by `facts.stated`
    needs         what must be known for it to be clear: queries of accel.facts.query
    asks          of what it needs, that in which it finds a fault where no fact that it reads is stated: if none of
                  this is known it is not run. (): it finds faults in facts alone. None: in any records
    requires      names of checks whose finding makes this one pointless
    explained_by  names of checks (or families) whose finding, if present, is the cause of this one: the finding is
                  kept, but is no cause
    explains      the same, told by the cause: names of checks (or families) whose finding is a consequence of this one.
                  A cause without remedies of its own takes theirs
    precludes     names of checks (or families) that cannot be right where this one found a fault: a machine without a
                  device has no driver to mend
    family        groups several checks under one contract name
    last_resort   what it says is true and seldom the whole story: its finding counts only where no other check found a
                  fault
    """

    code: str
    name: str
    layer: Layer
    run: "Callable[[Facts, Specs], Iterable[Problem]]"
    severity: Severity = "error"
    family: str | None = None
    reads: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    asks: tuple[str, ...] | None = None
    requires: tuple[str, ...] = ()
    explained_by: tuple[str, ...] = ()
    explains: tuple[str, ...] = ()
    precludes: tuple[str, ...] = ()
    last_resort: bool = False


def check(
    *,
    code: str,
    name: str,
    layer: Layer,
    severity: Severity = "error",
    family: str | None = None,
    reads: tuple[str, ...] = (),
    needs: tuple[str, ...] = (),
    asks: tuple[str, ...] | None = None,
    requires: tuple[str, ...] = (),
    explained_by: tuple[str, ...] = (),
    explains: tuple[str, ...] = (),
    precludes: tuple[str, ...] = (),
    last_resort: bool = False,
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
            reads=reads,
            needs=needs,
            asks=asks,
            requires=requires,
            explained_by=explained_by,
            explains=explains,
            precludes=precludes,
            last_resort=last_resort,
        )

    return register


def quoted(facts: "Iterable[Fact]", most: int = 4) -> tuple[Evidence, ...]:
    """Return the first facts as evidence: what was read, and where it stands; a line once, whatever it states."""
    places = {(fact.text, fact.line, fact.source): fact for fact in reversed(list(facts))}
    first = list(reversed(places.values()))
    return tuple(
        Evidence(
            fact=fact.name,
            value=fact.text[:240],
            source=fact.source,
            line=fact.line,
            last_line=fact.last_line,
            grade=fact.grade,
        )
        for fact in first[:most]
    )


__all__ = ["LAYERS", "Check", "Evidence", "Layer", "Problem", "Remedy", "applies", "check", "need", "quoted"]
