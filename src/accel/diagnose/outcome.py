"""Running the checks, each after its premises: what each came to. Pure."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from accel.facts.query import NOTHING_SEEN, Answer, answer
from accel.facts.questions import Facts
from accel.model.dataclass import dataclass, field
from accel.model.errors import in_words
from accel.vendors.contract.check import Check, DoesNotApply, NotKnown, Problem

if TYPE_CHECKING:
    from accel.specs import Specs


class InOrder(tuple[Check, ...]):
    """Checks of which each comes after its premises."""

    @cached_property
    def by_name(self) -> Mapping[str, Check]:
        """The checks by their name; by a family its first."""
        families = {check.family or check.name: check for check in reversed(self)}
        return families | {check.name: check for check in self}


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
    stated = facts.names
    found: list[Outcome] = []
    states: dict[str, Answer] = {}
    absent: dict[tuple[str, ...], str | None] = {}  # why nothing of these needs is here; worked out once
    for check in ordered:
        needs = check.needs
        if not (needs or check.reads) or not stated.isdisjoint(check.reads):
            found.append(_run(check, facts, specs, states))
            continue
        if needs not in absent:
            try:
                absent[needs] = _absent(needs, facts, states)
            except (AttributeError, KeyError):  # a plugin may name what there is not
                broke = f"the check needs {' or '.join(needs)}, which nothing has; please report it to its plugin"
                found.append(Outcome(check, broke=broke, wants="a check that does not break"))
                continue
        idle = absent[needs]
        if idle is not None:
            found.append(Outcome(check, not_applicable=idle))
        else:
            asks = check.asks is None or any(_state(one, facts, states).holds for one in check.asks)
            found.append(_run(check, facts, specs, states, asks=asks))
    return found


def _state(need: str, facts: Facts, states: dict[str, Answer]) -> Answer:
    """Return what is known of a need, worked out once for all checks. Raises as `answer`."""
    if need not in states:
        states[need] = answer(need, facts)
    return states[need]


def _absent(needs: tuple[str, ...], facts: Facts, states: dict[str, Answer]) -> str | None:
    """Return why none of these needs is here; None if one is."""
    absent = None
    for need in needs:
        absent = _state(need, facts, states).absent
        if absent is None:
            return None
    return absent or NOTHING_SEEN


def _run(check: Check, facts: Facts, specs: "Specs", states: dict[str, Answer], *, asks: bool = True) -> Outcome:
    """Return what a check came to. asks: whether anything is known in which it could find a fault."""
    outcome = Outcome(check)
    try:
        for problem in check.run(facts, specs) if asks else ():
            if not isinstance(problem, Problem):
                raise TypeError(f"it gave {problem!r:.60}, no Problem")
            outcome.problems.append(problem)
        if not outcome.problems:
            _settle(outcome, facts, states)
    except NotKnown as missing:
        outcome.wants = missing.fact
    except DoesNotApply as reason:
        outcome.not_applicable = str(reason)
    except (Exception, SystemExit) as error:  # a plugin's check may raise anything
        outcome.broke = f"the check broke: {in_words(error)}; please report it to its plugin"
        outcome.wants = "a check that does not break"
    return outcome


def _settle(outcome: Outcome, facts: Facts, states: dict[str, Answer]) -> None:
    """Say whether a check that found nothing knew enough to be clear."""
    needs = outcome.check.needs
    ends = [_state(need, facts, states) for need in needs]
    absent = next((state.absent for state in ends if state.absent), None)
    if absent or not needs:
        outcome.not_applicable = absent or NOTHING_SEEN
    else:
        outcome.wants = next((state.unknown for state in ends if state.unknown), None)


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
    from graphlib import CycleError, TopologicalSorter

    by_name = {check.name: check for check in checks}
    try:
        return [by_name[name] for name in TopologicalSorter({n: premises.get(n, ()) for n in by_name}).static_order()]
    except CycleError:
        return checks
