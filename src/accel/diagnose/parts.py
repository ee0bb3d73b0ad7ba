"""Texts about several machines, runs or environments: each is diagnosed alone, then they are compared. Pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from accel.diagnose.compared import comparisons
from accel.model.dataclass import replace
from accel.model.diagnosis import AmbiguousCauses, Clear, Diagnosis, Finding, NotApplicable, Undecided, Unexplained
from accel.model.observation import Command
from accel.model.snapshot import Part, Snapshot

NODES_UNLIKE: Final = "nodes-unlike"  # the family of checks that compare the machines of a snapshot
Judge = Callable[[Snapshot], Diagnosis]
_MOST_UNEXPLAINED: Final = 12


def in_parts(snapshot: Snapshot, judge: Judge, order: Callable[[Iterable[Finding]], tuple[Finding, ...]]) -> Diagnosis:
    """Return the diagnosis of a text with parts. judge: diagnoses a snapshot without parts; order: sorts findings."""
    apart = [part for part in snapshot.parts if part.apart]
    if len(apart) < 2:
        return _labelled(judge(replace(snapshot, parts=())), snapshot)
    judged = [(part, judge(_alone(snapshot, part))) for part in apart]
    across = _across(snapshot, apart, judge)
    findings = order((*_findings(judged), *across.findings))
    found = {finding.code for finding in findings}
    undecided = _by_code(u for _, one in judged for u in one.undecided if u.code not in found)
    settled = found | {u.code for u in undecided}
    clear = _by_code(c for one in (*(d for _, d in judged), across) for c in one.clear if c.code not in settled)
    settled |= {c.code for c in clear}
    left = tuple(_unexplained(judged))[:_MOST_UNEXPLAINED]
    ambiguous_causes = tuple(dict.fromkeys(open_ for _, one in judged for open_ in one.ambiguous_causes))
    return Diagnosis(
        verdict=_verdict(findings, undecided, left, judged),
        findings=findings,
        undecided=undecided,
        clear=clear,
        ambiguous_causes=ambiguous_causes,
        unexplained=left,
        requested_output=tuple(dict.fromkeys(look for _, one in judged for look in one.requested_output)),
        not_applicable=_by_code(n for _, one in judged for n in one.not_applicable if n.code not in settled),
        devices=tuple({(_machine(part), d.id): d for part, one in judged for d in one.devices}.values()),
        gaps=tuple(dict.fromkeys((*snapshot.gaps, *(gap for _, one in judged for gap in one.gaps)))),
        parts=tuple(part.says for part in apart),
    )


def _across(snapshot: Snapshot, apart: Sequence[Part], judge: Judge) -> Diagnosis:
    """Return what is found by comparing machines: by the checks that only look at the parts of a snapshot."""
    if len({_machine(part) for part in apart} - {None}) < 2:
        return Diagnosis(verdict="clear")
    saved = all(not part.lines for part in apart)
    found = judge(
        Snapshot(
            taken_at=snapshot.taken_at,
            origin=snapshot.origin,
            parts=snapshot.parts,
            observations=snapshot.observations if saved else (),  # of saved nodes those that are no node's own
        )
    )
    return Diagnosis(
        verdict="clear", findings=tuple(one for one in found.findings if one.family == NODES_UNLIKE), clear=found.clear
    )


def _alone(snapshot: Snapshot, part: Part) -> Snapshot:
    return replace(
        snapshot,
        host=part.host,
        environments=part.environments,
        observations=part.observations,
        reports=part.reports,
        gaps=(),
        parts=(),
    )


def _findings(judged: Sequence[tuple[Part, Diagnosis]]) -> Iterator[Finding]:
    """Yield each finding once, with the parts that have it; without parts if all of them do."""
    alike: dict[Any, list[tuple[Part, Finding]]] = {}
    for part, one in judged:
        for finding in one.findings:
            alike.setdefault((finding.code, finding.title, finding.severity), []).append((part, finding))
    for same in alike.values():
        first = same[0][1]
        here = tuple(dict.fromkeys(part.says for part, _ in same))
        if len(here) == len(judged):
            yield first
            continue
        evidence = tuple(dict.fromkeys(fact for _, finding in same for fact in finding.evidence))
        others = [(part, one) for part, one in judged if first.name not in {f.name for f in one.findings}]
        compared = tuple(comparisons(first, same[0][0], others)) if first.severity != "info" else ()
        yield replace(first, parts=here, evidence=evidence, compared=compared)


def _unexplained(judged: Sequence[tuple[Part, Diagnosis]]) -> Iterator[Unexplained]:
    """Yield what none of the parts with the line explains; a line that belongs to no part is in all of them."""
    seen: set[Unexplained] = set()
    for _, diagnosis in judged:
        for one in diagnosis.unexplained:
            owners = [d for part, d in judged if _has(part, one.line)] or [d for _, d in judged]
            if one not in seen and all(one.text in {u.text for u in owner.unexplained} for owner in owners):
                seen.add(one)
                yield one


def _verdict(
    findings: Sequence[Finding], undecided: Sequence[Undecided], left: Sequence[Unexplained], judged: Sequence[Any]
) -> Any:
    if any(finding.severity != "info" for finding in findings):
        return "faults"
    return "undecided" if undecided or left or any(one.verdict == "undecided" for _, one in judged) else "clear"


def _labelled(diagnosis: Diagnosis, snapshot: Snapshot) -> Diagnosis:
    """Name the place of each finding whose quotes all come from one place, according to the prefixes of the lines."""
    if not snapshot.parts:
        return diagnosis
    findings = tuple(_with_label(finding, snapshot) for finding in diagnosis.findings)
    return replace(diagnosis, findings=findings, parts=tuple(part.says for part in snapshot.parts))


def _with_label(finding: Finding, snapshot: Snapshot) -> Finding:
    typed = {one.line for one in snapshot.observations if isinstance(one, Command)}
    quoted = [fact.line for fact in finding.evidence if fact.line is not None]
    lines = [line for line in quoted if line not in typed] or quoted  # a container is started outside it
    here = tuple(part.says for part in snapshot.parts if lines and all(_has(part, line) for line in lines))
    inside = "in the container" in here
    works = any(r.scope == "host" and r.status == "ok" and r.devices for r in snapshot.reports)
    works |= any(e.scope == "host" and any(f.available for f in e.frameworks) for e in snapshot.environments)
    return replace(finding, parts=here, compared=("It works on the host.",) if inside and works else ())


def _has(part: Part, line: int | None) -> bool:
    return line is not None and any(first <= line <= last for first, last in part.lines)


def _machine(part: Part) -> str | None:
    return dict(part.kinds).get("machine")


def _by_code(rows: "Iterable[Any]") -> "tuple[Any, ...]":
    found: dict[str, Undecided | Clear | NotApplicable | AmbiguousCauses] = {}
    for row in rows:
        found.setdefault(row.code, row)
    return tuple(found[code] for code in sorted(found))
