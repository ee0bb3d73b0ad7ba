"""Runs the checks, each after its premises, and records their outcomes. Pure."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from accel.diagnose.gate import is_for_others
from accel.facts.query import NOTHING_SEEN, Answer, answer
from accel.facts.questions import Facts
from accel.model.dataclass import dataclass, field
from accel.model.diagnosis import NotApplicable
from accel.model.errors import in_words
from accel.specs import Specs
from accel.vendors.contract.check import Check, DoesNotApply, NotKnown, Problem


class InOrder(tuple[Check, ...]):
    """Checks sorted so that each comes after its premises."""

    @cached_property
    def by_name(self) -> Mapping[str, Check]:
        """The checks by name; for a family, its first check."""
        families = {check.family or check.name: check for check in reversed(self)}
        return families | {check.name: check for check in self}

    @cached_property
    def layers(self) -> Mapping[str, str]:
        """The layer of each check, by its code."""
        return {check.code: check.layer for check in self}

    @cached_property
    def of_records(self) -> Sequence[int]:
        """The positions of the checks that look at the records only: they always run."""
        return [place for place, check in enumerate(self) if not (check.needs or check.reads)]

    @cached_property
    def by_fact(self) -> Mapping[str, Sequence[int]]:
        """The positions of the checks that read a fact, by its name."""
        found: dict[str, list[int]] = {}
        for place, check in enumerate(self):
            for name in check.reads:
                found.setdefault(name, []).append(place)
        return found

    @cached_property
    def by_needs(self) -> Mapping[tuple[str, ...], Sequence[int]]:
        """The positions of the checks that need or read something, by their needs."""
        found: dict[tuple[str, ...], list[int]] = {}
        for place, check in enumerate(self):
            if check.needs or check.reads:
                found.setdefault(check.needs, []).append(place)
        return found

    @cached_property
    def _records(self) -> dict[tuple[tuple[str, ...], str], Sequence[NotApplicable]]:
        return {}  # the records of all checks of one need, by the need and the reason: on most texts the same

    def not_applicable(self, needs: tuple[str, ...], reason: str) -> Sequence[NotApplicable]:
        """Return the records of the checks with these needs, which have nothing to judge for this reason."""
        if (needs, reason) not in self._records:
            checks = (self[place] for place in self.by_needs[needs])
            self._records[needs, reason] = [NotApplicable(code=c.code, name=c.name, reason=reason) for c in checks]
        return self._records[needs, reason]


@dataclass(slots=True)
class Outcome:
    """The outcome of one check; `problems` are kept even if it became undecided after yielding some.

    wants           the fact that it lacks
    not_applicable  why it has nothing to judge
    broke           how it failed
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
        """Whether it found anything more severe than information: only that can be the cause of something else."""
        return self.found and any((p.severity or self.check.severity) != "info" for p in self.problems)

    @property
    def is_last_resort(self) -> bool:
        """Whether its findings count only if nothing else was found."""
        return self.check.last_resort or (bool(self.problems) and all(p.last_resort for p in self.problems))


def outcomes_of(ordered: InOrder, facts: Facts, specs: Specs) -> tuple[list[Outcome], list[NotApplicable]]:
    """Return the outcomes of the checks that had something to judge, in order, and the records of those that had not.

    A check runs if a fact that it reads is stated, or if what it needs is present; one with neither always runs.
    """
    stating = {place for name in facts.names for place in ordered.by_fact.get(name, ())}
    asks: dict[int, bool] = dict.fromkeys((*ordered.of_records, *stating), True)
    not_applicable: list[NotApplicable] = []
    broken: dict[int, Outcome] = {}
    states: dict[str, Answer] = {}
    for needs, places in ordered.by_needs.items():
        try:
            reason = _absent(needs, facts, states)
        except (AttributeError, KeyError):  # a plugin may name what there is not
            reason = None
            broke = f"the check needs {' or '.join(needs)}, which nothing has; please report it to its plugin"
            for place in set(places) - stating:
                broken[place] = Outcome(ordered[place], broke=broke, wants="a check that does not break")
        if reason is None:
            for place in places:
                if place not in stating and place not in broken:
                    asking = ordered[place].asks
                    asks[place] = asking is None or any(_state(one, facts, states).holds for one in asking)
        elif stating.isdisjoint(places):
            not_applicable += ordered.not_applicable(needs, reason)
        else:
            records = zip(places, ordered.not_applicable(needs, reason), strict=True)
            not_applicable += [record for place, record in records if place not in stating]
    ran = (
        broken[place] if place in broken else _run(ordered[place], facts, specs, states, asks=asks[place])
        for place in sorted((*asks, *broken))
    )
    return list(ran), not_applicable


def _state(need: str, facts: Facts, states: dict[str, Answer]) -> Answer:
    """Return what is known about a need, computed once for all checks. Raises as `answer` does."""
    if need not in states:
        states[need] = answer(need, facts)
    return states[need]


def _absent(needs: tuple[str, ...], facts: Facts, states: dict[str, Answer]) -> str | None:
    """Return why none of these needs is present; None if one is."""
    absent = None
    for need in needs:
        absent = _state(need, facts, states).absent
        if absent is None:
            return None
    return absent or NOTHING_SEEN


def _run(check: Check, facts: Facts, specs: Specs, states: dict[str, Answer], *, asks: bool = True) -> Outcome:
    """Return the outcome of a check. asks: whether anything is known in which it could find a fault."""
    outcome = Outcome(check)
    try:
        for problem in check.run(facts, specs) if asks else ():
            if not isinstance(problem, Problem):
                raise TypeError(f"it gave {problem!r:.60}, no Problem")
            if not is_for_others(check, problem, facts, specs):
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
    """Record whether a check that found nothing knew enough to be clear."""
    needs = outcome.check.needs
    ends = [_state(need, facts, states) for need in needs]
    absent = next((state.absent for state in ends if state.absent), None)
    if absent or not needs:
        outcome.not_applicable = absent or NOTHING_SEEN
    else:
        outcome.wants = next((state.unknown for state in ends if state.unknown), None)


def in_order(checks: Sequence[Check]) -> InOrder:
    """Return the checks, premises first; in the given order if that is so already, or their premises form a cycle."""
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
