"""Running the checks on a snapshot: outcomes, premises, causes before symptoms. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Final

from accel.check import LAYERS, Check, DoesNotApply, NotKnown, Problem
from accel.facts import Facts
from accel.model.device import Gap
from accel.model.diagnosis import Clear, Diagnosis, Finding, Skipped, Undecided, Verdict
from accel.model.snapshot import Snapshot
from accel.specs import Specs

_RANK: Final = {"error": 0, "warning": 1, "info": 2}


@dataclass(slots=True)
class _Outcome:
    """What one check came to; `problems` are kept even if it ended undecided after yielding some."""

    check: Check
    problems: list[Problem] = field(default_factory=list)
    wants: str | None = None
    skipped: str | None = None
    broke: str | None = None

    @property
    def found(self) -> bool:
        return bool(self.problems) and self.skipped is None

    @property
    def faulty(self) -> bool:
        """Whether it found anything above information: only that can be the cause of something else."""
        return self.found and any((p.severity or self.check.severity) != "info" for p in self.problems)


def diagnose(snapshot: Snapshot, specs: Specs, checks: Iterable[Check]) -> Diagnosis:
    """Judge a snapshot. A check that breaks is a gap and undecided; the others still run."""
    facts = Facts(snapshot)
    outcomes = [_run(check, facts, specs) for check in in_order(tuple(checks))]
    faults = _faults(outcomes)
    findings = sorted(
        (finding for outcome in outcomes if outcome.found for finding in _findings(outcome, faults)), key=_order
    )
    outcomes.sort(key=lambda outcome: outcome.check.code)
    undecided = tuple(
        Undecided(code=o.check.code, name=o.check.name, wants=(o.wants,))
        for o in outcomes
        if o.wants is not None and o.skipped is None and not o.problems
    )
    return Diagnosis(
        verdict=_verdict(findings, undecided, facts),
        findings=tuple(findings),
        undecided=undecided,
        clear=tuple(
            Clear(code=o.check.code, name=o.check.name, layer=o.check.layer)
            for o in outcomes
            if not o.problems and o.wants is None and o.skipped is None
        ),
        skipped=tuple(
            Skipped(code=o.check.code, name=o.check.name, reason=o.skipped) for o in outcomes if o.skipped is not None
        ),
        devices=facts.devices,
        gaps=facts.gaps
        + tuple(Gap(fact=f"check {o.check.code}", reason=o.broke, source=o.check.name) for o in outcomes if o.broke),
    )


def _run(check: Check, facts: Facts, specs: Specs) -> _Outcome:
    outcome = _Outcome(check)
    try:
        for problem in check.run(facts, specs):
            if not isinstance(problem, Problem):
                raise TypeError(f"it gave {problem!r:.60}, no Problem")
            outcome.problems.append(problem)
    except NotKnown as missing:
        outcome.wants = missing.fact
    except DoesNotApply as reason:
        outcome.skipped = str(reason)
    except Exception as error:  # a plugin's check may raise anything
        outcome.broke = f"the check broke: {type(error).__name__}: {error}; please report it to its plugin"
        outcome.wants = "a check that does not break"
    return outcome


def in_order(checks: Sequence[Check]) -> Sequence[Check]:
    """Return the checks, premises first; in the given order if it is so, or if their premises go in a circle."""
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


def _faults(outcomes: Iterable[_Outcome]) -> Mapping[str, Sequence[str]]:
    """Return the checks that found a fault, by their name and by their family; skip those whose premise is broken.

    The outcomes come premises first, so what a check stands on is settled before it.
    """
    faults: dict[str, list[str]] = {}
    for outcome in outcomes:
        check = outcome.check
        broken = _among(check.requires, check, faults)
        if broken and outcome.skipped is None:
            outcome.skipped = f"{', '.join(broken)} was found, which comes first"
        if outcome.faulty:
            for name in {check.name, check.family or check.name}:
                faults.setdefault(name, []).append(check.name)
    return faults


def _among(names: Iterable[str], check: Check, faults: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    found = (fault for name in names for fault in faults.get(name, ()) if fault != check.name)
    return tuple(dict.fromkeys(found))


def _findings(outcome: _Outcome, faults: Mapping[str, Sequence[str]]) -> Iterable[Finding]:
    check = outcome.check
    causes = _among(check.explained_by, check, faults)
    for problem in outcome.problems:
        severity = problem.severity or check.severity
        yield Finding(
            code=check.code,
            name=check.name,
            severity=severity,
            title=problem.title,
            detail=problem.detail,
            family=check.family,
            layer=check.layer,
            devices=problem.devices,
            evidence=problem.evidence,
            remedies=problem.remedies,
            is_cause=not causes and severity != "info",
            explained_by=causes,
        )


def _order(finding: Finding) -> tuple[int, bool, int, str, tuple[str, ...]]:
    layer = LAYERS.index(finding.layer) if finding.layer in LAYERS else len(LAYERS)
    return (_RANK[finding.severity], not finding.is_cause, layer, finding.code, finding.devices)


def _verdict(findings: Sequence[Finding], undecided: Sequence[Undecided], facts: Facts) -> Verdict:
    if any(f.severity != "info" for f in findings):
        return "faults"
    nothing_known = not facts.live and not (facts.accelerators or facts.environment.frameworks or facts.events())
    could_not_look = any(report.status == "failed" for report in facts.snapshot.reports)
    return "undecided" if undecided or nothing_known or could_not_look else "clear"
