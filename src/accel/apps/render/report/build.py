"""Builds the document from a snapshot, its diagnosis and the spec database."""

import re
from typing import Final

from accel.apps.render.diagnosis_words import WHO, device_summary, outcome
from accel.apps.render.report import document as doc
from accel.apps.render.report.devices import devices
from accel.apps.render.report.given import Given
from accel.apps.render.report.grouping import alike
from accel.apps.render.report.restrictions import restrictions
from accel.apps.render.report.specs import specs
from accel.apps.render.report.topology import joined
from accel.apps.render.report.versions import versions
from accel.apps.render.units import plural
from accel.diagnose.open_questions import plain_words
from accel.model.device import Gap
from accel.model.device_range import device_range
from accel.model.diagnosis import Diagnosis, Finding, Severity

_MOST: Final = 4  # names per cell
_NOT_ASKED: Final = "Everything in the input could be read; what it does not mention is unknown."
_REPLACED: Final = (
    "replaced: names of hosts and users, serials, unique ids, addresses, home folders, secrets "
    "(--identifiers keeps them)"
)
_KEPT: Final = "kept, because of --identifiers: names, serials, unique ids, addresses"
_TONES: Final[dict[Severity, doc.Tone]] = {"error": "bad", "warning": "warning", "info": "note"}
_KINDS: Final[dict[Severity, str]] = {"error": "Error", "warning": "Warning", "info": "Note"}
_NONE: Final = {
    "clear": "No fault found: every check that applies knew what it needs.",
    "undecided": "No fault found. Some checks could not run: see below what they lack, and what could not be read.",
    "faults": "",
}


def report(given: Given) -> doc.Document:
    """Return the report. Raises BadInput for an invalid day or destination."""
    groups = alike(given.diagnosis.devices, given.specs)
    sections: list[doc.Section] = [_findings(given), devices(given, groups)]
    if given.past is not None:
        from accel.apps.render.report.past import past

        sections.append(past(given.past))
    if given.bench is not None:
        from accel.apps.render.report.benchmark import benchmark

        sections.append(benchmark(given.bench))
    if given.fit is not None:
        from accel.apps.render.report.fit import fit

        sections.append(fit(given.fit))
    wires = joined(given)
    if wires is not None:
        sections.append(wires)
    if any(group.devices[0].kind != "cpu" for group in groups):
        sections.append(specs(given, groups))
        if given.day is not None:
            sections.append(restrictions(given, groups, given.day))
    sections += [versions(given), _gaps(given), _made(given)]
    verdict, tone = _verdict(given)
    seen = device_summary(given.diagnosis.devices)
    return doc.Document(
        title=f"Accelerator report: {seen}",
        verdict=verdict,
        tone=tone,
        facts=tuple(_whose(given, seen)),
        sections=tuple(sections),
    )


def _verdict(given: Given) -> tuple[str, doc.Tone]:
    """Return the one-line answer: how much was found, and what comes first."""
    diagnosis = given.diagnosis
    said = outcome(diagnosis)
    if diagnosis.verdict == "faults":
        first = next(finding for finding in diagnosis.findings if finding.severity != "info")
        return f"{said}: {first.title}", _TONES[first.severity]
    notes = [finding.title for finding in diagnosis.findings]
    if diagnosis.verdict == "undecided":
        return said, "warning"
    return (f"{said}. {notes[0]}", "note") if notes else (said, "good")


def _whose(given: Given, seen: str) -> list[doc.Fact]:
    host, environment = given.facts.host, given.facts.environment
    system = ", ".join(v for v in (host.distribution or host.system, host.kernel, host.machine) if v)
    drivers = {
        f"{report.backend} {driver.version}": None
        for report in given.facts.snapshot.reports
        if (driver := given.facts.driver(report.backend)) is not None and driver.version
    }
    built = [" ".join(filter(None, (f.name, f.version, f.built_for))) for f in environment.frameworks]
    rows = [
        doc.Fact(label="accelerators", value=seen),
        doc.Fact(label="system", value=system or None, why=given.otherwise),
        *(
            [doc.Fact(label="driver", value=", ".join(drivers) or None, why=given.otherwise)]
            if given.facts.accelerators
            else []
        ),
        doc.Fact(
            label="frameworks",
            value=", ".join(built) or ("none" if environment.complete else None),
            why=given.otherwise,
        ),
        doc.Fact(label="Python", value=environment.python_version, why=given.otherwise),
        doc.Fact(label="read from", value=f"{_origin(given)}, {given.facts.snapshot.taken_at or 'at an unknown time'}"),
    ]
    if given.identifiers and host.name:
        rows.insert(0, doc.Fact(label="host", value=host.name))
    return rows


def _findings(given: Given) -> doc.Section:
    """Return the findings, the lowest broken layer first, and what could not be decided."""
    diagnosis = given.diagnosis
    blocks: list[doc.Block] = [_fault(finding) for finding in diagnosis.findings]
    if diagnosis.verdict != "faults":
        tone: doc.Tone = "good" if diagnosis.verdict == "clear" else "warning"
        blocks.insert(0, doc.Paragraph(text=_NONE[diagnosis.verdict], tone=tone))
    wants = _wants(diagnosis)
    if wants:
        blocks.append(doc.Paragraph(text=f"Unknown, so not checked: {', '.join(wants)}.", tone="quiet"))
    return doc.Section(name="findings", title="Findings", blocks=tuple(blocks))


def _fault(finding: Finding) -> doc.Fault:
    rows = []
    if finding.detail:
        rows.append(doc.Fact(label="problem", value=finding.detail))
    if finding.devices:
        rows.append(doc.Fact(label="devices", value=device_range(finding.devices)))
    if finding.explained_by:
        rows.append(doc.Fact(label="cause", value=f"follows from {', '.join(finding.explained_by)}; fix that first"))
    for fact in finding.evidence:
        source = f" ({fact.source})" if fact.source else ""
        rows.append(doc.Fact(label="evidence", value=f"{fact.fact}: {fact.value}{source}"))
    return doc.Fault(
        kind=_KINDS[finding.severity],
        tone=_TONES[finding.severity],
        title=finding.title,
        check=f"{finding.code} {finding.name}",
        facts=tuple(rows),
        steps=tuple(doc.Step(text=r.text, who=WHO[r.action], command=r.command) for r in finding.remedies),
        ticket=next((r.request for r in finding.remedies if r.request), None) if finding.severity != "info" else None,
    )


def _wants(diagnosis: Diagnosis) -> tuple[str, ...]:
    """Return the facts that undecided checks need, in words; () if a fault is known, which must be fixed first."""
    if diagnosis.verdict == "faults":
        return ()
    wants = (want for undecided in diagnosis.undecided for want in undecided.wants)
    return tuple(dict.fromkeys(plain_words(want) for want in wants))


def _gaps(given: Given) -> doc.Section:
    """Return the chapter on what could not be read, by reason, and on unusable records of the spec database."""
    grouped: dict[str, list[Gap]] = {}
    for gap in given.diagnosis.gaps:
        grouped.setdefault(gap.reason.split(", from ")[0], []).append(gap)  # the same error from several calls
    rows = tuple(
        (
            _some([gap.fact for gap in same]),
            _some([name for gap in same if (name := gap.device or gap.backend or _place(gap.source))])
            or "this machine",
            reason,
        )
        for reason, same in grouped.items()
    )
    blocks: list[doc.Block] = []
    if rows:
        blocks.append(doc.Table(caption="What is not known", columns=("fact", "of", "why"), rows=rows))
    else:
        none = "All queries were answered." if given.facts.live else _NOT_ASKED
        blocks.append(doc.Paragraph(text=none))
    blocks += [doc.Paragraph(text=f"Specs not used: {problem}", tone="warning") for problem in given.specs.problems]
    return doc.Section(name="gaps", title="What could not be read", blocks=tuple(blocks))


def _place(source: str | None) -> str | None:
    return "stdin" if source == "-" else source


def _some(names: list[str]) -> str:
    every = tuple(dict.fromkeys(names))
    return ", ".join(every[:_MOST]) + (f" and {len(every) - _MOST} more" if len(every) > _MOST else "")


def _made(given: Given) -> doc.Section:
    """Return the last chapter: how the report was made, from what, and what was left out."""
    snapshot, diagnosis = given.facts.snapshot, given.diagnosis
    blocks: list[doc.Block] = [
        doc.Facts(
            rows=(
                doc.Fact(label="made by", value=f"accel {given.accel_version}, accel report"),
                doc.Fact(label="written", value=given.written_at),
                doc.Fact(label="facts read", value=snapshot.taken_at, why="the text does not say when"),
                doc.Fact(label="facts from", value=_origin(given)),
                doc.Fact(label="identifiers", value=_KEPT if given.identifiers else _REPLACED),
                doc.Fact(label="checks", value=_checks(diagnosis)),
            )
        )
    ]
    if given.day is None:
        blocks.append(doc.Paragraph(text="Restrictions were left out, because of --no-restrictions."))
    rows = tuple((r.source, r.backend, r.status, str(len(r.devices))) for r in snapshot.reports)
    if rows:
        columns = ("source", "of", "status", "devices")
        table = doc.Table(caption="What was asked", columns=columns, rows=rows, numeric=frozenset({"devices"}))
        blocks.append(doc.Fold(title=f"What was queried: {plural(len(rows), 'source')}", blocks=(table,)))
    outcomes = _outcomes(diagnosis)
    if outcomes:
        blocks.append(doc.Fold(title="How each check ended that found nothing", blocks=outcomes, printed=False))
    return doc.Section(name="made", title="How this report was made", blocks=tuple(blocks))


def _origin(given: Given) -> str:
    """Return where the facts come from, in words, with folder names only if identifiers are kept."""
    name = given.facts.snapshot.origin
    if not given.identifiers:
        name = re.sub(r"[^,]*[/\\]", " ", name).strip()
    return {"live": "this machine", "-": "text given on stdin"}.get(name, name)


def _checks(diagnosis: Diagnosis) -> str:
    found = len({finding.code for finding in diagnosis.findings})
    return (
        f"{found} found something, {len(diagnosis.clear)} clear, {len(diagnosis.undecided)} undecided, "
        f"{len(diagnosis.not_applicable)} not applicable"
    )


def _outcomes(diagnosis: Diagnosis) -> tuple[doc.Block, ...]:
    undecided = tuple(f"{u.code} {u.name}: needs {', '.join(u.wants)}" for u in diagnosis.undecided)
    reasons: dict[str, list[str]] = {}
    for s in diagnosis.not_applicable:
        reasons.setdefault(s.reason, []).append(f"{s.code} {s.name}")
    not_applicable = tuple(f"{reason}: {', '.join(checks)}" for reason, checks in reasons.items())
    clear = ", ".join(f"{c.code} {c.name}" for c in diagnosis.clear)
    named = (
        ("Undecided", undecided),
        ("Not applicable, by reason", not_applicable),
        ("Clear", (clear,) if clear else ()),
    )
    return tuple(doc.Lines(title=title, items=items) for title, items in named if items)
