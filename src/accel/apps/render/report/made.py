"""The last chapter: how the report was made, from what, and what was left out."""

import re
from typing import Final

from accel.apps.render.report.document import Block, Fact, Facts, Fold, Lines, Paragraph, Section, Table
from accel.apps.render.report.given import Given
from accel.apps.render.units import plural
from accel.model.diagnosis import Diagnosis

_REPLACED: Final = (
    "replaced: names of hosts and users, serials, unique ids, addresses, home folders, secrets "
    "(--identifiers keeps them)"
)
_KEPT: Final = "kept, because of --identifiers: names, serials, unique ids, addresses"


def made(given: Given) -> Section:
    """Return the chapter."""
    snapshot, diagnosis = given.facts.snapshot, given.diagnosis
    blocks: list[Block] = [
        Facts(
            rows=(
                Fact(label="made by", value=f"accel {given.accel_version}, accel report"),
                Fact(label="written", value=given.written_at),
                Fact(label="facts read", value=snapshot.taken_at, why="the text does not say when"),
                Fact(label="facts from", value=origin(given)),
                Fact(label="identifiers", value=_KEPT if given.identifiers else _REPLACED),
                Fact(label="checks", value=_checks(diagnosis)),
            )
        )
    ]
    if given.day is None:
        blocks.append(Paragraph(text="Restrictions were left out, because of --no-restrictions."))
    rows = tuple((r.source, r.backend, r.status, str(len(r.devices))) for r in snapshot.reports)
    if rows:
        columns = ("source", "of", "status", "devices")
        table = Table(caption="What was asked", columns=columns, rows=rows, numeric=frozenset({"devices"}))
        blocks.append(Fold(title=f"What was queried: {plural(len(rows), 'source')}", blocks=(table,)))
    outcomes = _outcomes(diagnosis)
    if outcomes:
        blocks.append(Fold(title="How each check ended that found nothing", blocks=outcomes, printed=False))
    return Section(name="made", title="How this report was made", blocks=tuple(blocks))


def origin(given: Given) -> str:
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


def _outcomes(diagnosis: Diagnosis) -> tuple[Block, ...]:
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
    return tuple(Lines(title=title, items=items) for title, items in named if items)
