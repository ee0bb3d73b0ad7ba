"""Running the checks, each after its premises: what each came to. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from accel.facts.query import NOTHING_SEEN, Answer, answer
from accel.facts.questions import Facts
from accel.vendors.contract.check import Check, DoesNotApply, NotKnown, Problem

if TYPE_CHECKING:
    from accel.specs import Specs


class InOrder(tuple[Check, ...]):
    """Checks of which each comes after its premises."""

    @cached_property
    def by_read(self) -> Mapping[str, frozenset[str]]:
        """The names of the checks that read a fact, by its name; under "" those that always run."""
        found: dict[str, set[str]] = {"": {check.name for check in self if not (check.reads or check.needs)}}
        for check in self:
            for fact in check.reads:
                found.setdefault(fact, set()).add(check.name)
        return {fact: frozenset(names) for fact, names in found.items()}

    @cached_property
    def codes(self) -> Mapping[str, str]:
        """The codes of the checks by their name; by a family the code of its first."""
        families = {check.family or check.name: check.code for check in reversed(self)}
        return families | {check.name: check.code for check in self}


@dataclass(slots=True)
class Outcome:
    """What one check came to; `problems` are kept even if it ended undecided after yielding some.

    wants  the fact that it missed; idle: why it has nothing to judge; broke: how it failed
    """

    check: Check
    problems: list[Problem] = field(default_factory=list)
    wants: str | None = None
    not_applicable: str | None = None
    broke: str | None = None

    @property
    def found(self) -> bool:
        return bool(self.problems) and self.not_applicable is None

    @property
    def faulty(self) -> bool:
        """Whether it found anything above information: only that can be the cause of something else."""
        return self.found and any((p.severity or self.check.severity) != "info" for p in self.problems)


def outcomes_of(ordered: InOrder, facts: Facts, specs: "Specs") -> list[Outcome]:
    """Run each check, unless nothing that it reads is stated and what it needs is not here.

    A check without `reads` and `needs` asks the records alone: it always runs.
    """
    called = ordered.by_read[""].union(*(ordered.by_read.get(name, ()) for name in facts.names))
    found: list[Outcome] = []
    states: dict[str, Answer] = {}
    absent: dict[tuple[str, ...], str | None] = {}  # why nothing of these needs is here; worked out once
    for check in ordered:
        needs = check.needs
        if check.name in called:
            found.append(_run(check, facts, specs))
            continue
        if needs not in absent:
            try:
                absent[needs] = _absent(needs, facts, states)
            except (AttributeError, KeyError):  # a plugin may name what there is not
                broke = f"the check needs {' or '.join(needs)}, which nothing has; please report it to its plugin"
                found.append(Outcome(check, broke=broke, wants="a check that does not break"))
                continue
        idle = absent[needs]
        found.append(_run(check, facts, specs) if idle is None else Outcome(check, not_applicable=idle))
    return found


def _absent(needs: tuple[str, ...], facts: Facts, states: dict[str, Answer]) -> str | None:
    """Return why none of these needs is here; None if one is."""
    absent = None
    for need in needs:
        if need not in states:
            states[need] = answer(need, facts)
        absent = states[need].absent
        if absent is None:
            return None
    return absent or NOTHING_SEEN


def _run(check: Check, facts: Facts, specs: "Specs") -> Outcome:
    outcome = Outcome(check)
    try:
        for problem in check.run(facts, specs):
            if not isinstance(problem, Problem):
                raise TypeError(f"it gave {problem!r:.60}, no Problem")
            outcome.problems.append(problem)
        if not outcome.problems:
            _settle(outcome, facts)
    except NotKnown as missing:
        outcome.wants = missing.fact
    except DoesNotApply as reason:
        outcome.not_applicable = str(reason)
    except Exception as error:  # a plugin's check may raise anything
        outcome.broke = f"the check broke: {type(error).__name__}: {error}; please report it to its plugin"
        outcome.wants = "a check that does not break"
    return outcome


def _settle(outcome: Outcome, facts: Facts) -> None:
    """Say whether a check that found nothing knew enough to be clear."""
    needs = outcome.check.needs
    states = [answer(need, facts) for need in needs]
    absent = next((state.absent for state in states if state.absent), None)
    if absent or not needs:
        outcome.not_applicable = absent or NOTHING_SEEN
    else:
        outcome.wants = next((state.unknown for state in states if state.unknown), None)


def in_order(checks: Sequence[Check]) -> InOrder:
    """Return the checks, premises first; in the given order if it is so, or if their premises go in a circle."""
    return InOrder(_sorted(checks))


def _sorted(checks: Sequence[Check]) -> Sequence[Check]:
    groups: dict[str, list[Check]] = {}
    for check in checks:
        for name in {check.name, check.family or check.name}:
            groups.setdefault(name, []).append(check)
    premises = {
        check.name: [p.name for name in check.requires for p in groups.get(name, ()) if p is not check]
        for check in checks
        if check.requires
    }
    seen: set[str] = set()
    for check in checks:
        if not seen.issuperset(premises.get(check.name, ())):
            break
        seen.add(check.name)
    else:
        return checks
    by_name = {check.name: check for check in checks}
    try:
        return [by_name[name] for name in TopologicalSorter({n: premises.get(n, ()) for n in by_name}).static_order()]
    except CycleError:
        return checks
