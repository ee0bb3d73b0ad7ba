"""Builds the document from a snapshot, its diagnosis and the spec database."""

from accel.apps.render.diagnosis_words import device_summary, outcome
from accel.apps.render.report.devices import devices
from accel.apps.render.report.document import Document, Fact, Section, Tone
from accel.apps.render.report.findings import TONES, findings
from accel.apps.render.report.gaps import gaps
from accel.apps.render.report.given import Given
from accel.apps.render.report.grouping import alike
from accel.apps.render.report.made import made, origin
from accel.apps.render.report.restrictions import restrictions
from accel.apps.render.report.specs import specs
from accel.apps.render.report.topology import joined
from accel.apps.render.report.versions import versions


def report(given: Given) -> Document:
    """Return the report. Raises BadInput for an invalid day or destination."""
    groups = alike(given.diagnosis.devices, given.specs)
    sections: list[Section] = [findings(given), devices(given, groups)]
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
    sections += [versions(given), gaps(given), made(given)]
    verdict, tone = _verdict(given)
    seen = device_summary(given.diagnosis.devices)
    return Document(
        title=f"Accelerator report: {seen}",
        verdict=verdict,
        tone=tone,
        facts=tuple(_whose(given, seen)),
        sections=tuple(sections),
    )


def _verdict(given: Given) -> tuple[str, Tone]:
    """Return the one-line answer: how much was found, and what comes first."""
    diagnosis = given.diagnosis
    said = outcome(diagnosis)
    if diagnosis.verdict == "faults":
        first = next(finding for finding in diagnosis.findings if finding.severity != "info")
        return f"{said}: {first.title}", TONES[first.severity]
    notes = [finding.title for finding in diagnosis.findings]
    if diagnosis.verdict == "undecided":
        return said, "warning"
    return (f"{said}. {notes[0]}", "note") if notes else (said, "good")


def _whose(given: Given, seen: str) -> list[Fact]:
    host, environment = given.facts.host, given.facts.environment
    system = ", ".join(v for v in (host.distribution or host.system, host.kernel, host.machine) if v)
    drivers = {
        f"{report.backend} {driver.version}": None
        for report in given.facts.snapshot.reports
        if (driver := given.facts.driver(report.backend)) is not None and driver.version
    }
    built = [" ".join(filter(None, (f.name, f.version, f.built_for))) for f in environment.frameworks]
    rows = [
        Fact(label="accelerators", value=seen),
        Fact(label="system", value=system or None, why=given.otherwise),
        *(
            [Fact(label="driver", value=", ".join(drivers) or None, why=given.otherwise)]
            if given.facts.accelerators
            else []
        ),
        Fact(
            label="frameworks",
            value=", ".join(built) or ("none" if environment.complete else None),
            why=given.otherwise,
        ),
        Fact(label="Python", value=environment.python_version, why=given.otherwise),
        Fact(label="read from", value=f"{origin(given)}, {given.facts.snapshot.taken_at or 'at an unknown time'}"),
    ]
    if given.identifiers and host.name:
        rows.insert(0, Fact(label="host", value=host.name))
    return rows
