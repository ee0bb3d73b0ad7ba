"""Faults that a text mentions but that are not present now: what the checks would find if they were. Pure."""

from typing import Final

from accel.model.dataclass import replace
from accel.model.diagnosis import Diagnosis, Finding, Mention, of_the_program
from accel.model.observation import Observation
from accel.model.snapshot import Snapshot

_MOST: Final = 6


def mentions(snapshot: Snapshot, now: Diagnosis, would_be: Diagnosis) -> tuple[tuple[Mention, ...], Diagnosis]:
    """Return the findings that rest on statements which do not hold now, in the order of the text, and the diagnosis.

    now       the diagnosis of what holds. What nothing explains and may hold is left open in the returned one
    would_be  the diagnosis if every statement of the text held
    """
    found = {finding.name for finding in now.findings}
    told = {one.line: one for one in _statements(snapshot) if one.status != "present" and one.line is not None}
    mentioned = []
    for finding in would_be.findings:
        one = _statement(finding, told)
        if finding.severity != "info" and finding.name not in found and one is not None:
            mention = Mention(
                code=finding.code, name=finding.name, title=finding.title, status=one.status, why=one.why, line=one.line
            )
            mentioned.append(mention)
    if of_the_program(would_be.findings):
        now = _with_notes(now, would_be, told)
    elif not any(one.status == "unclear" for one in mentioned):
        now = _with_unclear(now, would_be, told)
    return tuple(sorted(mentioned, key=lambda one: one.line or 0)[:_MOST]), now


def _with_notes(now: Diagnosis, would_be: Diagnosis, told: dict[int, Observation]) -> Diagnosis:
    """Return the diagnosis with notes on the program's own errors for which it is unclear whether they still occur."""
    notes = tuple(
        finding
        for finding in would_be.findings
        if (one := _statement(finding, told)) is not None and one.status == "unclear" and finding not in now.findings
    )
    return replace(now, findings=now.findings + notes) if notes else now


def _with_unclear(now: Diagnosis, would_be: Diagnosis, told: dict[int, Observation]) -> Diagnosis:
    """Return the diagnosis with the open errors in lines for which it is unclear whether they still hold."""
    unclear = {line for line, one in told.items() if one.status == "unclear"}
    known = {one.line for one in now.unexplained} | {one.line for one in now.ambiguous_causes}
    left = tuple(one for one in would_be.unexplained if one.line in unclear - known)
    open_ = tuple(one for one in would_be.ambiguous_causes if one.line in unclear - known)
    if not left and not open_:
        return now
    return replace(
        now,
        verdict="undecided" if now.verdict == "clear" else now.verdict,
        unexplained=now.unexplained + left,
        ambiguous_causes=now.ambiguous_causes + open_,
    )


def _statement(finding: Finding, told: dict[int, Observation]) -> Observation | None:
    return next((told[e.line] for e in finding.evidence if e.line is not None and e.line in told), None)


def _statements(snapshot: Snapshot) -> tuple[Observation, ...]:
    return (*snapshot.observations, *(one for report in snapshot.reports for one in report.observations))
