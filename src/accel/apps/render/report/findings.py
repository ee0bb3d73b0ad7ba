"""The first chapter: what is broken, why, and what to type."""

from typing import Final

from accel.apps.render.diagnosis_words import WHO
from accel.apps.render.report.document import Block, Fact, Fault, Paragraph, Section, Step, Tone
from accel.apps.render.report.given import Given
from accel.diagnose.open_questions import plain_words
from accel.model.device_range import device_range
from accel.model.diagnosis import Diagnosis, Finding, Severity

TONES: Final[dict[Severity, Tone]] = {"error": "bad", "warning": "warning", "info": "note"}
_KINDS: Final[dict[Severity, str]] = {"error": "Error", "warning": "Warning", "info": "Note"}
_NONE: Final = {
    "clear": "No fault found: every check that applies knew what it needs.",
    "undecided": "No fault found. Some checks could not run: see below what they lack, and what could not be read.",
    "faults": "",
}


def findings(given: Given) -> Section:
    """Return the findings, the lowest broken layer first, and what could not be decided."""
    diagnosis = given.diagnosis
    blocks: list[Block] = [_fault(finding) for finding in diagnosis.findings]
    if diagnosis.verdict != "faults":
        tone: Tone = "good" if diagnosis.verdict == "clear" else "warning"
        blocks.insert(0, Paragraph(text=_NONE[diagnosis.verdict], tone=tone))
    wants = _wants(diagnosis)
    if wants:
        blocks.append(Paragraph(text=f"Unknown, so not checked: {', '.join(wants)}.", tone="quiet"))
    return Section(name="findings", title="Findings", blocks=tuple(blocks))


def _fault(finding: Finding) -> Fault:
    rows = []
    if finding.detail:
        rows.append(Fact(label="problem", value=finding.detail))
    if finding.devices:
        rows.append(Fact(label="devices", value=device_range(finding.devices)))
    if finding.explained_by:
        rows.append(Fact(label="cause", value=f"follows from {', '.join(finding.explained_by)}; fix that first"))
    for fact in finding.evidence:
        source = f" ({fact.source})" if fact.source else ""
        rows.append(Fact(label="evidence", value=f"{fact.fact}: {fact.value}{source}"))
    return Fault(
        kind=_KINDS[finding.severity],
        tone=TONES[finding.severity],
        title=finding.title,
        check=f"{finding.code} {finding.name}",
        facts=tuple(rows),
        steps=tuple(Step(text=r.text, who=WHO[r.action], command=r.command) for r in finding.remedies),
        ticket=next((r.request for r in finding.remedies if r.request), None) if finding.severity != "info" else None,
    )


def _wants(diagnosis: Diagnosis) -> tuple[str, ...]:
    """Return the facts that undecided checks need, in words; () if a fault is known, which must be fixed first."""
    if diagnosis.verdict == "faults":
        return ()
    wants = (want for undecided in diagnosis.undecided for want in undecided.wants)
    return tuple(dict.fromkeys(plain_words(want) for want in wants))
