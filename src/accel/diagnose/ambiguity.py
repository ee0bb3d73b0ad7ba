"""Errors with several possible causes: of the tables (specs/*/ambiguous), and lines on which several findings rest."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.diagnose.askable import askable
from accel.facts.infer import observations_of
from accel.facts.query import holds
from accel.facts.questions import Facts
from accel.model.diagnosis import AmbiguousCauses, Candidate, Finding
from accel.model.observation import Complaint, ErrorSeen, Fact, Observation
from accel.specs.ambiguous import rows_of

if TYPE_CHECKING:
    from accel.specs import Specs

_MOST: Final = 6  # candidates that are shown of one error
_MOST_FOUND: Final = 4  # of one line, where each was found
_SHORT: Final = 8  # characters of a value, such as a variable's, that may stand anywhere
_Seen = Fact | Observation


def ambiguous(
    facts: Facts,
    inferred: Iterable[Fact],
    findings: Sequence[Finding],
    specs: "Specs",
    codes: Mapping[str, str],
    clear: Iterable[str],
) -> Iterator[AmbiguousCauses]:
    """Yield each error that is left open, with its causes; codes: of checks, by name; clear: names of those that are.

    Nothing is open where a fact decides for a cause that was found or is a finding itself, where a finding of one rests
    on more than the error itself, and where another fault was found with it: that one is then the cause of the error,
    or is to be mended first. A fact that speaks for a cause whose check found too little puts that cause first.
    """
    inferred = tuple(inferred)
    seen = _identities(facts, inferred)
    if not seen or facts.live:
        return
    known = Facts(facts.snapshot, inferred, clear)
    rows = tuple(row for row in rows_of(specs.ambiguous, seen) if holds(row.get("when", ()), known))
    found = {None, *(name for one in findings for name in (one.name, one.family))}  # None: a cause without a check
    for row in rows:
        if row.get("alone") and len(rows) > 1:
            continue
        places = [one for identity in row["seen"] for one in seen.get(identity.lower(), ())]
        if any(holds(one, known) for one in row.get("settled", ())):
            continue
        beside = Facts(facts.snapshot, (f for f in inferred if f.line is None or not _has(places, f.line)), known.clear)
        causes = [cause for cause in row["causes"] if not _any_holds(cause.get("against", ()), known, beside)]
        likely = [cause for cause in causes if _any_holds(cause.get("for", ()), known, beside)]
        decided = any(cause.get("finding") in found or not found.isdisjoint(cause["for"]) for cause in likely)
        if decided or len(causes) < 2 or _rests_elsewhere(findings, places):
            continue
        first = min(places, key=lambda one: one.line or 0)
        ordered = (*likely, *(cause for cause in causes if cause not in likely))
        candidates = tuple(_candidate(cause, codes, facts, specs) for cause in ordered[:_MOST])
        yield AmbiguousCauses(line=first.line, text=first.text, candidates=candidates)


def ambiguous_causes(
    findings: Sequence[Finding], specs: "Specs", told: Sequence[AmbiguousCauses] = ()
) -> tuple[AmbiguousCauses, ...]:
    """Return each set of causes that rest on one line of the text, with what tells them apart; mostly none.

    told  what the tables leave open (`ambiguous`): it goes before what is concluded from findings alone
    """
    causes = [finding for finding in findings if finding.is_cause and finding.severity != "info"]
    lines: dict[int, dict[str, Finding]] = {}
    texts: dict[int, str] = {}
    for finding in causes:
        for evidence in finding.evidence:
            if evidence.line is not None:
                lines.setdefault(evidence.line, {}).setdefault(finding.name, finding)
                texts.setdefault(evidence.line, evidence.value)
    lines_told = {one.line for one in told}
    found: dict[tuple[str, ...], AmbiguousCauses] = {}
    for line, named in sorted(lines.items()):
        names = tuple(named)
        if 1 < len(names) <= _MOST_FOUND and names not in found and line not in lines_told:
            found[names] = AmbiguousCauses(
                line=line, text=texts[line], candidates=tuple(_candidates_found(named.values(), specs))
            )
    return (*told, *found.values())


def _candidates_found(findings: Iterable[Finding], specs: "Specs") -> Iterable[Candidate]:
    for finding in findings:
        known: Sequence[Mapping[str, str]] = specs.causes.get(finding.name, {}).get("causes") or ({},)
        over = finding.over.command if finding.over is not None else None
        yield Candidate(
            code=finding.code,
            name=finding.name,
            title=finding.title,
            decides=known[0].get("decides"),
            look=known[0].get("look") or over,
        )


def explained(facts: Facts, inferred: Iterable[Fact], findings: Iterable[Finding], specs: "Specs") -> tuple[_Seen, ...]:
    """Return where errors stand of which a cause was found: they need no explanation besides."""
    found = {name for one in findings if one.severity == "error" for name in (one.name, one.family) if name}
    seen = _identities(facts, inferred) if found else {}
    return tuple(
        one
        for row in rows_of(specs.ambiguous, seen)
        if any(cause.get("finding") in found for cause in row["causes"])
        for identity in row["seen"]
        for one in seen.get(identity.lower(), ())
    )


def _identities(facts: Facts, inferred: Iterable[Fact]) -> dict[str, list[_Seen]]:
    """Return what was recognised, by the name that the tables give it."""
    seen: dict[str, list[_Seen]] = {}
    for fact in inferred:
        seen.setdefault(fact.name, []).append(fact)
    for one in observations_of(facts.snapshot):
        if isinstance(one, ErrorSeen):
            seen.setdefault(f"error.{one.domain}:{one.code}".lower(), []).append(one)
        elif isinstance(one, Complaint) and len(one.text) < 40:
            seen.setdefault(f"line.{one.text}".lower(), []).append(one)
    return seen


def _any_holds(queries: Iterable[str], known: Facts, beside: Facts) -> bool:
    """Whether one of them holds beside the error: a fact of its own lines proves nothing more, but for its values."""
    return any(holds(one, known if one.startswith("fact.") else beside) for one in queries)


def _has(places: Sequence[_Seen], line: int) -> bool:
    """Whether one of them is on a line. Line numbers of a saved snapshot may be anything."""
    spans = ((one.line, one.last_line if one.last_line is not None else one.line) for one in places)
    return any(first is not None and last is not None and first <= line <= last for first, last in spans)


def _rests_elsewhere(findings: Iterable[Finding], places: Sequence[_Seen]) -> bool:
    """Whether a cause was found that rests on more than the lines of the error."""
    texts = [one.text for one in places]
    for finding in findings:
        if finding.severity == "info" or not finding.is_cause:
            continue
        for evidence in finding.evidence:
            if evidence.line is None and not any(_is_one(evidence.value, text) for text in texts):
                return True
            if evidence.line is not None and not _has(places, evidence.line):
                return True
    return False


def _is_one(value: str, text: str) -> bool:
    return len(value) > _SHORT and (value in text or text in value)


def _candidate(cause: Mapping[str, Any], codes: Mapping[str, str], facts: "Facts", specs: "Specs") -> Candidate:
    name, look = cause.get("finding"), askable(cause.get("look"), facts, specs)
    return Candidate(code=codes.get(name or ""), name=name, title=cause["cause"], decides=cause["decides"], look=look)
