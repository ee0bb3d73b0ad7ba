"""Diagnoses a snapshot. Pure.

infer       what tables and rules conclude from the observations          accel.facts.infer
run         the checks, each after its premises                           accel.diagnose.outcome
settle      what gives way to what, which cause explains which symptom    accel.diagnose.explanation
plan        remedies for what was found                                   accel.remedies.planner
leave open  errors with several causes, errors that nothing explains      accel.diagnose.ambiguity, .unexplained
list        everything that is open, as questions                         accel.diagnose.open_questions
"""

from collections.abc import Container, Iterable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from accel.diagnose.ambiguity import Asker, ambiguous_causes, concluded, explained, shown
from accel.diagnose.candidates import OpenError, open_errors
from accel.diagnose.data_age import newer_than_data
from accel.diagnose.explanation import Causes, given_way, settled, without_open_pieces
from accel.diagnose.gate import without_errors_of_others
from accel.diagnose.grouped import grouped, without_repeats
from accel.diagnose.open_questions import failures, open_questions
from accel.diagnose.outcome import InOrder, Outcome, in_order, outcomes_of
from accel.diagnose.unexplained import unexplained
from accel.facts.infer import infer, symptoms_of
from accel.facts.questions import Facts
from accel.facts.readers.mechanisms.subjects import FACT as SUBJECT
from accel.model.dataclass import replace
from accel.model.device import Gap
from accel.model.diagnosis import (
    AmbiguousCauses,
    Clear,
    Diagnosis,
    Finding,
    Look,
    NotApplicable,
    Undecided,
    Unexplained,
    Verdict,
    of_the_program,
)
from accel.model.grade import GRADES, Grade
from accel.model.observation import Complaint, Fact
from accel.model.snapshot import Snapshot, is_empty, present
from accel.vendors.contract.check import LAYERS, Check, Problem

if TYPE_CHECKING:
    from accel.specs import Specs
    from accel.vendors.contract.rule import Rule

_RANK: Final = {"error": 0, "warning": 1, "info": 2}


def diagnose(
    snapshot: Snapshot,
    specs: "Specs",
    checks: Iterable[Check],
    rules: Iterable["Rule"] | None = None,
    powershell: bool | None = None,
) -> Diagnosis:
    """Diagnose a snapshot. A rule or check that fails becomes a gap; the others still run. rules None: the core's.

    powershell  use PowerShell for commands on Windows; None: the shell that the text shows
    """
    from accel.facts.rules import core_rules

    known = tuple(core_rules() if rules is None else rules)
    ordered = checks if isinstance(checks, InOrder) else in_order(tuple(checks))

    def judge(one: Snapshot) -> Diagnosis:
        return _diagnosed(one, specs, ordered, known, powershell)

    now = present(snapshot)
    if now.parts:
        from accel.diagnose.parts import in_parts  # few texts have any

        diagnosis = in_parts(now, judge, _ordered)
    else:
        diagnosis = judge(now)
    if now != snapshot:
        from accel.diagnose.mentions import mentions  # only for texts with statements that do not hold now

        everything = _diagnosed(replace(snapshot, parts=()), specs, ordered, known, powershell, plans=False)
        mentioned, diagnosis = mentions(snapshot, diagnosis, everything)
        diagnosis = replace(diagnosis, mentioned=mentioned)
        if any(one.status == "unclear" for one in diagnosis.mentioned):
            verdict: Verdict = "undecided" if diagnosis.verdict == "clear" else diagnosis.verdict
            diagnosis = replace(diagnosis, verdict=verdict)
        elif diagnosis.verdict == "undecided" and not (
            snapshot.parts or _is_open(diagnosis)
        ):  # all reported faults are over
            diagnosis = replace(diagnosis, verdict="clear", requested_output=())
    return replace(diagnosis, open_questions=open_questions(diagnosis, live=snapshot.origin == "live"))


def _is_open(diagnosis: Diagnosis) -> bool:
    """Return whether an error remains unexplained, or something could not be checked."""
    return bool(diagnosis.unexplained or diagnosis.ambiguous_causes or failures(diagnosis.gaps))


def _diagnosed(
    snapshot: Snapshot,
    specs: "Specs",
    ordered: InOrder,
    rules: Iterable["Rule"],
    powershell: bool | None,
    *,
    plans: bool = True,
) -> Diagnosis:
    """Return the diagnosis. plans: also plan remedies."""
    snapshot = without_errors_of_others(snapshot, specs)
    inferred, broken_rules = infer(snapshot, specs, rules)
    facts = Facts(snapshot, inferred)
    outcomes, not_applicable = outcomes_of(ordered, facts, specs)
    causes = settled(outcomes, symptoms_of(specs))
    asker = Asker(facts, specs, powershell, plans)
    found = [one for outcome in outcomes if outcome.found for one in _findings(outcome, causes, asker)]
    outcomes.sort(key=lambda outcome: outcome.check.code)
    undecided = tuple(
        Undecided(code=o.check.code, name=o.check.name, wants=(o.wants,))
        for o in outcomes
        if o.wants is not None and o.not_applicable is None and not o.problems
    )
    clear = tuple(
        Clear(code=o.check.code, name=o.check.name, layer=o.check.layer)
        for o in outcomes
        if not o.problems and o.wants is None and o.not_applicable is None
    )
    left_open = tuple(open_errors(facts, found, specs, [one.name for one in clear]))
    found += _concluded(left_open, ordered, asker)
    findings = without_repeats(grouped(_ordered(found)))
    told = tuple(shown(one, ordered.by_name, asker) for one in _unsettled(left_open, ordered, asker))
    findings = without_open_pieces(findings, outcomes, told, ordered.layers)
    open_ = ambiguous_causes(findings, specs, told)
    at_fault = any(finding.severity != "info" for finding in findings)
    asks = not (at_fault or facts.live)
    asked = _asked(asker, error_left_open=bool(open_)) if asks else ()
    known = (*explained(facts, findings, specs), *given_way(outcomes))
    left = unexplained(facts, specs, findings, known, open_, looked=bool(asked), powershell=powershell)
    if not (left or open_) and of_the_program(findings):
        asked = ()  # what went wrong is known: it is none of the machine's
    told_of = any(evidence.line is not None for finding in findings for evidence in finding.evidence)
    if left and not (open_ or told_of or facts.live):
        open_ = _general(left, facts, findings, ordered, asker)
    gaps = tuple(Gap(fact=f"check {o.check.code}", reason=o.broke, source=o.check.name) for o in outcomes if o.broke)
    gaps = facts.gaps + newer_than_data(facts, specs) + broken_rules + gaps
    not_applicable += [
        NotApplicable(code=o.check.code, name=o.check.name, reason=o.not_applicable)
        for o in outcomes
        if o.not_applicable is not None
    ]
    verdict = _verdict(findings, undecided, clear, (*left, *open_, *failures(gaps)), facts, specs.inference["context"])
    return Diagnosis(
        verdict=verdict,
        findings=findings,
        undecided=undecided,
        clear=clear,
        ambiguous_causes=open_,
        unexplained=left,
        requested_output=asked if verdict == "undecided" else (),
        not_applicable=tuple(sorted(not_applicable, key=attrgetter("code"))),
        devices=facts.devices,
        gaps=gaps,
    )


def _asked(asker: Asker, *, error_left_open: bool) -> tuple[Look, ...]:
    from accel.diagnose.requested_output import requested_output  # needed only where no fault is found

    return requested_output(asker.facts, asker.specs, asker.powershell, error_left_open=error_left_open)


def _general(
    left: Sequence[Unexplained], facts: Facts, findings: Sequence[Finding], ordered: InOrder, asker: Asker
) -> tuple[AmbiguousCauses, ...]:
    """Return the usual causes in the layer of errors that nothing explains."""
    first = left[0]
    place = Fact(name="unexplained", text=first.text, line=first.line)
    found = open_errors(facts, findings, asker.specs, (), unexplained={f"layer.{first.layer}": [place]})
    return tuple(shown(one, ordered.by_name, asker) for one in found)[:1]


def _concluded(left_open: Iterable[OpenError], ordered: InOrder, asker: Asker) -> list[Finding]:
    """Return the findings for errors of which a single cause remains."""
    told = (concluded(one, ordered.by_name, asker) for one in left_open)
    return [_finding(problem, check, (), asker) for check, problem in (one for one in told if one is not None)]


def _unsettled(left_open: Iterable[OpenError], ordered: InOrder, asker: Asker) -> Iterable[OpenError]:
    return [one for one in left_open if concluded(one, ordered.by_name, asker) is None]


def _findings(outcome: Outcome, causes: Causes, asker: Asker) -> Iterable[Finding]:
    """Yield what a check found."""
    check = outcome.check
    for problem in outcome.problems:
        if problem.defers or (check.explains and not problem.remedies):
            problem = replace(problem, remedies=causes.remedies_below(check) or problem.remedies)
        yield _finding(problem, check, causes.of(check, problem), asker)


def _finding(problem: Problem, check: Check, explained_by: tuple[str, ...], asker: Asker) -> Finding:
    from accel.remedies.planner import NO_PLAN, plan  # needed only where something is found

    severity = problem.severity or check.severity
    planned = plan(problem, check, asker.facts, asker.specs, asker.powershell) if asker.plans else NO_PLAN
    return Finding(
        code=check.code,
        name=check.name,
        severity=severity,
        title=problem.title if planned.works is None else f"{problem.title}; it works with {planned.works}",
        detail=problem.detail,
        family=check.family,
        layer=check.layer,
        devices=problem.devices,
        evidence=problem.evidence,
        remedies=planned.remedies,
        attempts=planned.attempts,
        cured=planned.cured,
        verification=planned.verification,
        rests_on=_grades(problem, asker.facts),
        is_cause=not explained_by and severity != "info",
        explained_by=explained_by,
    )


def _ordered(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort the findings: the most severe first, causes before consequences, and none before what explains it."""
    findings = tuple(found)
    ranks: dict[str, int] = {}
    for finding in findings:
        ranks[finding.name] = min(_RANK[finding.severity], ranks.get(finding.name, len(_RANK)))

    def place(finding: Finding) -> tuple[int, bool, bool, bool, int, str, tuple[str, ...]]:
        layer = LAYERS.index(finding.layer) if finding.layer in LAYERS else len(LAYERS)
        rank = max(_RANK[finding.severity], *(ranks.get(name, 0) for name in finding.explained_by), 0)
        vain = bool(finding.attempts)  # of two causes the one whose remedy was not tried in vain is the likelier
        return (rank, not finding.is_cause, not finding.cured, vain, layer, finding.code, finding.devices)

    return tuple(sorted(findings, key=place))


def _grades(problem: Problem, facts: Facts) -> tuple[Grade, ...]:
    """Return the grades that a problem rests on, the most certain first; evidence without one has its source's."""
    given = {evidence.grade or facts.grade_of(evidence.source) for evidence in problem.evidence}
    return tuple(grade for grade in GRADES if grade in (given or {facts.grade_of(None)}))


def _verdict(
    findings: Sequence[Finding],
    undecided: Sequence[Undecided],
    clear: Sequence[Clear],
    left: Sequence[Unexplained | AmbiguousCauses | Gap],
    facts: Facts,
    context: Container[str],
) -> Verdict:
    if any(f.severity != "info" for f in findings):
        return "faults"
    could_not_look = any(report.status == "failed" for report in facts.snapshot.reports)
    if left or could_not_look:
        return "undecided"
    if facts.live:
        return "undecided" if undecided or not (clear or findings) else "clear"
    told = _was_at_work(facts) or of_the_program(findings) or _only_asks(facts, context)
    return "clear" if told and not is_empty(facts.snapshot) else "undecided"


def _only_asks(facts: Facts, context: Container[str]) -> bool:
    """Return whether the writer complains about nothing, and asks for something new, or asks a question or shows a
    document in a text that states nothing but its context.
    """
    if any(isinstance(one, Complaint) for one in facts.snapshot.observations):
        return False
    states = any(fact.name not in context and fact.name != SUBJECT for fact in facts.inferred)
    asks = facts.stated("question-asked") or facts.stated("document-shown")
    return bool(facts.stated("feature-asked")) or (bool(asks) and not states)


def _was_at_work(facts: Facts) -> bool:
    """Return whether a tool listed an accelerator or a framework said if it sees one; a package list does not count."""
    listed = any(
        d.kind != "cpu" for r in facts.snapshot.reports if r.grade not in ("said", "implied") for d in r.devices
    )
    return listed or any(framework.available is not None for framework in facts.environment.frameworks)
