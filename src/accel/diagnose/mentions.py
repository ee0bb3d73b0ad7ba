"""The faults that a text mentions and that do not hold now: what the checks would find if they did. Pure."""

from collections.abc import Callable
from typing import Final

from accel.model.diagnosis import Diagnosis, Finding, Mention
from accel.model.observation import Observation
from accel.model.snapshot import Snapshot

_MOST: Final = 6


def mentions(snapshot: Snapshot, now: Diagnosis, judge: Callable[[Snapshot], Diagnosis]) -> tuple[Mention, ...]:
    """Return the findings that rest on statements which do not hold now, in the order of the text.

    now   the diagnosis of what does hold
    judge of a snapshot, taking every statement in it for one that holds
    """
    found = {finding.name for finding in now.findings}
    told = {one.line: one for one in _statements(snapshot) if one.status != "present" and one.line is not None}
    mentioned = []
    for finding in judge(snapshot).findings:
        one = _statement(finding, told)
        if finding.severity != "info" and finding.name not in found and one is not None:
            mention = Mention(
                code=finding.code, name=finding.name, title=finding.title, status=one.status, why=one.why, line=one.line
            )
            mentioned.append(mention)
    return tuple(sorted(mentioned, key=lambda one: one.line or 0)[:_MOST])


def _statement(finding: Finding, told: dict[int, Observation]) -> Observation | None:
    return next((told[e.line] for e in finding.evidence if e.line is not None and e.line in told), None)


def _statements(snapshot: Snapshot) -> tuple[Observation, ...]:
    return (*snapshot.observations, *(one for report in snapshot.reports for one in report.observations))
