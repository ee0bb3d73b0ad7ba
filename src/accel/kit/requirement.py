"""A rule: a promise that every plugin makes, and a pure function that finds violations of it.

    @rule("stable-ids", "discover", "It gives the same devices in the same order when asked twice")
    def stable_ids(evidence: Evidence) -> Iterator[Fault]:
        ...

A rule has one of four outcomes: passed (it yielded no fault), failed, not applicable (the premise of `unless` is
false), not proven (`wants` a recording that does not exist, or the calls it examines did not return).
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final, Literal

from accel.kit.evidence import Evidence, Loading
from accel.model.dataclass import dataclass

Level = Literal["discover", "monitor", "health", "diagnose"]
LEVELS: Final[tuple[Level, ...]] = ("discover", "monitor", "health", "diagnose")
Status = Literal["passed", "failed", "not applicable", "not proven"]
NO_MACHINES: Final = (
    "it has no recorded machine with an expected.yaml: return a folder of them from accel_machines, "
    "or give  --machines FOLDER  (docs/conformance.md)"
)
_MOST_FAULTS: Final = 8  # per rule: more add nothing new


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One violation: what was seen, and what to do about it. where: the plugin's own line, if known."""

    sentence: str
    remedy: str
    where: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of one rule. note: why it does not apply, or what is missing to prove it."""

    rule: str
    level: Level
    title: str
    status: Status
    faults: tuple[Fault, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A promise. title: a sentence that is true if a plugin keeps it."""

    name: str
    level: Level
    title: str
    run: Callable[[Evidence], Iterator[Fault]]


def fault(name: str, /, where: str | None = None, **words: object) -> Fault:
    """Return a fault of specs/system/conformance.yaml, with these words filled in."""
    row = conformance_table()["faults"][name]
    return Fault(sentence=row["says"].format(**words).rstrip(), remedy=row["do"].format(**words), where=where)


@cache
def conformance_table() -> Mapping[str, Any]:
    """Return specs/system/conformance.yaml."""
    from accel.specs import load

    table: Mapping[str, Any] = load().table("system/conformance")
    return table


class NotApplicable(Exception):
    """Raised by `unless`."""


class NotProven(Exception):
    """Raised by `wants`."""


def rule(name: str, level: Level, title: str) -> Callable[[Callable[[Evidence], Iterator[Fault]]], Rule]:
    """Return a decorator that makes a Rule from a function."""

    def register(run: Callable[[Evidence], Iterator[Fault]]) -> Rule:
        return Rule(name=name, level=level, title=title, run=run)

    return register


def unless(holds: object, otherwise: str) -> None:
    """End the rule as not applicable, with this reason, unless its premise is true."""
    if not holds:
        raise NotApplicable(otherwise)


def wants(there: object, missing: str) -> None:
    """End the rule as not proven if something it needs is missing."""
    if not there:
        raise NotProven(missing)


def loaded(evidence: Evidence) -> Loading:
    """Return what loading the plugin gave; end the rule as not proven if it does not load."""
    wants(evidence.loading and not evidence.loading.error, "it does not load")
    assert evidence.loading is not None
    return evidence.loading


def backend_of(evidence: Evidence) -> str:
    """Return the backend's name; end the rule as not proven if there is none that can be called."""
    name = evidence.loading.backend if evidence.loading else None
    wants(name, "it registers no backend that can be called")
    return str(name)


def judge(it: Rule, evidence: Evidence) -> Outcome:
    """Run one rule. Faults found before it ended as not proven still count."""
    faults: dict[tuple[str, str], Fault] = {}
    status: Status = "passed"
    note = None
    try:
        for fault in it.run(evidence):
            faults.setdefault((fault.sentence, fault.remedy), fault)
    except NotApplicable as reason:
        status, note = "not applicable", str(reason)
    except NotProven as reason:
        status, note = "not proven", str(reason)
        if not evidence.recorded() and "record" in note:  # the same thing is missing for all rules, so report it once
            note = NO_MACHINES
    except Exception as error:  # a bug in the kit is not the plugin's fault, and must not hide other rules
        status, note = "not proven", f"the rule itself broke: {type(error).__name__}: {error}; please report it"
    if faults:
        status = "failed"
    kept = tuple(faults.values())[:_MOST_FAULTS]
    if len(faults) > len(kept):
        note = f"and {len(faults) - len(kept)} more of the kind"
    return Outcome(rule=it.name, level=it.level, title=it.title, status=status, faults=kept, note=note)
