"""What a check is: a pure function from facts and specs to problems.

    @check(
        code="NV001", name="driver-too-old", layer="driver",
        reads=("cuda-driver-outdated",),
        needs=("nvidia.driver.version", "framework.torch|jax|tensorflow.cuda_version"),
    )
    def driver_too_old(facts: Facts, specs: Specs) -> Problems:
        ...

A check has one of four outcomes:

found            it yielded problems
clear            it yielded none, and everything in `needs` is known
undecided        something in `needs` is unknown, or a fact that it passed to `need` is
not applicable   what it is about is not present; or it has no `needs` and nothing in `reads` was seen; or a fault that
                 takes precedence was found

A check that only looks for an error message is therefore never clear: the absence of a message proves nothing.

A check runs only if a fact in `reads` is stated, or something in `needs` is present. A check with neither looks at the
records only, and always runs. `asks` can restrict this further: see Check.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from accel.model.dataclass import dataclass
from accel.model.diagnosis import Evidence, Remedy, Severity

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.observation import Fact
    from accel.specs import Specs
else:  # names for annotations: a check is declared without loading them
    Fact = Facts = Specs = object

Layer = Literal["hardware", "driver", "access", "toolkit", "framework", "application"]
LAYERS: Final[tuple[Layer, ...]] = ("hardware", "driver", "access", "toolkit", "framework", "application")

_Value = TypeVar("_Value")
_LONGEST: Final = 240  # characters of a quoted line


class NotKnown(Exception):
    """Raised by `need`; the engine turns it into an Undecided."""

    def __init__(self, fact: str) -> None:
        super().__init__(fact)
        self.fact = fact


class DoesNotApply(Exception):
    """Raised by `applies`; the engine turns it into a NotApplicable."""


def need(value: _Value | None, fact: str) -> _Value:
    """Return the value; if it is None, end the check as undecided because `fact` is unknown."""
    if value is None:
        raise NotKnown(fact)
    return value


def applies(condition: bool, otherwise: str) -> None:
    """Unless the condition holds, end the check as not applicable, with this reason."""
    if not condition:
        raise DoesNotApply(otherwise)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One instance of a fault. severity None means the check's own severity.

    defers       use the remedies of the findings that this one explains instead of its own
    last_resort  as `Check.last_resort`, for this problem
    verification  how to verify that this one is gone (text, command), if not as the check's table of causes says
    """

    title: str
    detail: str | None = None
    devices: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    severity: Severity | None = None
    defers: bool = False
    last_resort: bool = False
    verification: "Mapping[str, str] | None" = None


Problems = Iterator[Problem]  # what a check's function yields


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A registered check.

    reads         names of the facts that it gets from `facts.stated`
    needs         what must be known for it to be clear, as queries (accel.facts.query)
    asks          the subset of `needs` in which it can find a fault even if no fact in `reads` is stated: if none of it
                  is known, the check is not run. (): it finds faults in facts only. None: it may find them in any
                  record
    requires      names of checks; a finding of one of these makes this check pointless
    explained_by  names of checks or families; a finding of one of these is the cause of this check's finding, which is
                  still shown, but not as a cause
    explains      the same relation stated by the cause: names of checks or families whose findings follow from this
                  one. A cause without remedies uses theirs
    precludes     names of checks or families that cannot be right if this check found a fault: on a machine without the
                  device, no driver needs fixing
    family        groups several checks under one name
    last_resort   its finding is true but rarely the whole story: it counts only if no other check found a fault
    """

    code: str
    name: str
    layer: Layer
    run: Callable[[Facts, Specs], Iterable[Problem]]
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
) -> Callable[[Callable[[Facts, Specs], Iterable[Problem]]], Check]:
    """Turn a function into a Check. Its docstring becomes the check's page: see docs/add-a-check.md."""

    def register(run: Callable[[Facts, Specs], Iterable[Problem]]) -> Check:
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


def quoted(facts: Iterable[Fact], most: int = 4) -> tuple[Evidence, ...]:
    """Return up to `most` facts as evidence, each with its text and line; a line is quoted only once."""
    places = {(fact.text, fact.line, fact.source): fact for fact in reversed(list(facts))}
    first = list(reversed(places.values()))
    return tuple(
        Evidence(
            fact=fact.name,
            value=fact.text if len(fact.text) <= _LONGEST else _shortened(fact),
            source=fact.source,
            line=fact.line,
            last_line=fact.last_line,
            grade=fact.grade,
        )
        for fact in first[:most]
    )


def _shortened(fact: Fact) -> str:
    from accel.text.excerpt import excerpt  # few lines are that long

    return excerpt(fact.text, (value for _, value in fact.values), _LONGEST)


__all__ = [
    "LAYERS",
    "Check",
    "Evidence",
    "Layer",
    "Problem",
    "Problems",
    "Remedy",
    "applies",
    "check",
    "need",
    "quoted",
]
__all__ += ["Fact", "Facts", "Specs"]
