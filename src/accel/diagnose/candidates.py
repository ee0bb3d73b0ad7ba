"""The possible causes of an error from the tables (specs/*/ambiguous), and what supports or contradicts each.

A cause is evaluated by its own conditions and by those of its check (specs/*/causes): any one of them is enough. What
is only known from the error itself proves nothing more, except for the values of a fact.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from accel.diagnose.askable import maker_of
from accel.facts.infer import observations_of, symptoms_of
from accel.facts.makers import is_ruled_out, makers_named
from accel.facts.query import holds, witnesses
from accel.facts.questions import Facts
from accel.model.dataclass import dataclass
from accel.model.diagnosis import Finding
from accel.model.observation import Complaint, ErrorSeen, Fact, Observation
from accel.specs import Specs
from accel.specs.ambiguous import rows_of

Seen = Fact | Observation
_SHORT: Final = 8  # characters of a value, such as a variable's, that may be anywhere
_OF_OTHERS: Final = " (another vendor's)"
_QUOTED: Final = 100  # characters of a line that supports a cause
_IN_WORDS: Final[Mapping[str, str]] = {
    "@linux": "the system is Linux",
    "@windows": "the system is Windows",
    "@macos": "the system is macOS",
    "@wsl": "this is WSL",
    "@container": "it runs in a container",
    "@no-container": "no container is mentioned",
    "@devices-listed": "a tool lists the device",
    "@driver-known": "the text shows the driver's version",
    "@cpu-build": "torch is a build for the CPU",
    "@cuda-build": "torch is a build for CUDA",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause from a table. likely: something in the text supports it; supports: what, with its line."""

    row: Mapping[str, Any]
    likely: bool
    supports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenError:
    """An error whose cause no finding names: where it is, the remaining causes, and those that the text rules out.

    causes    the most likely first
    excluded  each with the reason: "the driver does not answer (a tool lists the device)"
    against   the lines that rule them out
    """

    row: Mapping[str, Any]
    places: tuple[Seen, ...]
    causes: tuple[Cause, ...]
    excluded: tuple[str, ...]
    against: tuple[Seen, ...]


def open_errors(
    facts: Facts,
    findings: Sequence[Finding],
    specs: Specs,
    clear: Iterable[str],
    *,
    unexplained: Mapping[str, Sequence[Seen]] | None = None,
) -> Iterator[OpenError]:
    """Yield each error of the tables that is open. clear: the names of the checks that found no fault.

    unexplained  lines that nothing explains, by their identity in the tables; None: the errors of the text

    An error is not open if a fact decides for a cause that was found or is a finding itself, if a finding of a cause
    rests on more than the error itself, or if another fault was found with it: that is then the cause of the error, or
    has to be fixed first.
    """
    seen = identities(facts) if unexplained is None else unexplained
    if not seen or facts.live:
        return
    known = Facts(facts.snapshot, facts.inferred, clear)
    order = list(specs.ambiguous["rows"])
    rows = sorted(rows_of(specs.ambiguous, seen), key=lambda row: order.index(row["name"]))
    rows = [row for row in rows if holds(row.get("when", ()), known)]
    specific = [row for row in rows if not (row.get("alone") or row.get("general"))]
    alone = [row for row in rows if row.get("alone")]
    general = [row for row in rows if row.get("general")]
    for tier in (specific, alone if not specific else (), general):
        told = list(_of_rows(tier, seen, known, findings, specs))
        yield from told if tier is specific else told[:1]
        if told:
            return


def _of_rows(
    rows: Iterable[Mapping[str, Any]],
    seen: Mapping[str, Sequence[Seen]],
    known: Facts,
    findings: Sequence[Finding],
    specs: Specs,
) -> Iterator[OpenError]:
    found = {name for one in findings for name in (one.name, one.family) if name}
    symptoms = symptoms_of(specs)
    for row in rows:
        places = tuple(one for identity in row["seen"] for one in seen.get(identity.lower(), ()))
        if _any(row.get("settled", ()), known):
            continue
        one = _open_error(row, places, known, specs)
        of_others = sum(words.endswith(_OF_OTHERS) for words in one.excluded)
        if (
            of_others <= len(one.causes)
            and _tells(one)
            and not (_is_decided(one.causes, found) or _rests_elsewhere(findings, places, symptoms))
        ):
            yield one


def identities(facts: Facts) -> dict[str, list[Seen]]:
    """Return what was recognised, by its name in the tables."""
    seen: dict[str, list[Seen]] = {}
    for fact in facts.inferred:
        seen.setdefault(fact.name, []).append(fact)
    for one in observations_of(facts.snapshot):
        if isinstance(one, ErrorSeen):
            seen.setdefault(f"error.{one.domain}:{one.code}".lower(), []).append(one)
        elif isinstance(one, Complaint) and len(one.text) < 40:
            seen.setdefault(f"line.{one.text}".lower(), []).append(one)
    return seen


def _open_error(row: Mapping[str, Any], places: tuple[Seen, ...], known: Facts, specs: Specs) -> OpenError:
    elsewhere = tuple(fact for fact in known.inferred if fact.line is None or not _has(places, fact.line))
    beside = Facts(known.snapshot, elsewhere, known.clear)
    of_maker = row["topic"].partition("/")[0] in specs.hints.makers.values()
    maker = None if of_maker else maker_of(known, specs)
    causes: list[Cause] = []
    excluded: list[str] = []
    against: list[Seen] = []
    for cause in row["causes"]:
        shared = specs.causes.get(cause.get("finding"), {})
        contradicts = _first((*cause.get("against", ()), *shared.get("against", ())), known, beside)
        if contradicts is not None:
            told = tuple(_witnesses(contradicts, known))
            reason = _reason(contradicts, told)
            excluded += [f"{cause['cause']} ({reason})"] if reason else []
            against += told
            continue
        if _is_of_others(cause, shared, known, specs, maker):
            excluded.append(cause["cause"] + _OF_OTHERS)
            continue
        supporting = [
            query for query in (*cause.get("for", ()), *shared.get("for", ())) if _holds(query, known, beside)
        ]
        supports = dict.fromkeys(words for query in supporting for words in _supports(query, known, places))
        causes.append(Cause(cause, bool(supporting), tuple(supports)))
    ordered = sorted(causes, key=lambda one: not one.likely)
    return OpenError(row, places, tuple(ordered), tuple(excluded), tuple(against))


def _is_of_others(
    cause: Mapping[str, Any], shared: Mapping[str, Any], known: Facts, specs: Specs, maker: str | None
) -> bool:
    """Return whether a cause is about a vendor whose devices are not meant: by its check's tables, by its fix, or by
    the tools that its test and its fixes name, where the text is about one vendor's devices only.
    """
    fixes = fixes_for(cause, specs)
    own = {shared.get("topic", "").partition("/")[0], *(fix.get("maker") for fix in fixes)}
    makers = own.intersection(specs.hints.makers.values())
    words = " ".join((cause["decides"], *(f"{fix['text']} {fix.get('command', '')}" for fix in fixes)))
    named = makers_named(words, specs) | {fix["maker"] for fix in fixes if fix.get("maker") in makers}
    of_others = maker is not None and bool(named) and maker not in named
    return of_others or any(is_ruled_out(one, known, specs) for one in makers)


def fixes_for(cause: Mapping[str, Any], specs: Specs) -> Sequence[Mapping[str, Any]]:
    """Return the fixes of a cause: its own, or those of its finding (specs/language/candidate_fixes)."""
    rows: Sequence[Mapping[str, Any]] = (specs.table("language/candidate_fixes") or {}).get("findings", ())
    shared = next((row["fixes"] for row in rows if row["finding"] == cause.get("finding")), ())
    fixes: Sequence[Mapping[str, Any]] = cause.get("fixes", shared)
    return fixes


def _tells(one: OpenError) -> bool:
    """Return whether the remaining causes are worth a question: a single one needs a check, or support."""
    return len(one.causes) > 1 or any(cause.likely or "finding" in cause.row for cause in one.causes)


def _is_decided(causes: Iterable[Cause], found: set[str]) -> bool:
    """Return whether a supported cause was found, or what supports it is a finding itself."""
    likely = [one.row for one in causes if one.likely]
    return any(row.get("finding") in found or not found.isdisjoint(_terms(row.get("for", ()))) for row in likely)


def _terms(queries: Iterable[Any]) -> Iterator[str]:
    for one in queries:
        yield from (one,) if isinstance(one, str) else _terms(one)


def _any(queries: Iterable[Any], facts: Facts) -> bool:
    return any(holds(one, facts) for one in queries)


def _first(queries: Iterable[Any], known: Facts, beside: Facts) -> Any:
    return next((one for one in queries if _holds(one, known, beside)), None)


def _holds(query: Any, known: Facts, beside: Facts) -> bool:
    """Return whether a query holds without the error: facts of its own lines prove nothing, except for their values."""
    return all(
        holds(one, known if one.removeprefix("not ").startswith("fact.") else beside) for one in _terms((query,))
    )


def _witnesses(query: Any, facts: Facts) -> Iterator[Seen]:
    for one in _terms((query,)):
        if not one.startswith(("@", "not ")) and one.partition(".")[0] in ("fact", "error", one):
            yield from witnesses(one, facts)


def _supports(query: Any, facts: Facts, places: Sequence[Seen]) -> Iterator[str]:
    told = [one for one in _witnesses(query, facts) if one.line is None or not _has(places, one.line)]
    from accel.text.excerpt import excerpt  # few causes are supported by a line

    texts = {excerpt(one.text, (), _QUOTED): one.line for one in reversed(told) if one.line is not None}
    yield from (f"“{text}” (line {line})" for text, line in sorted(texts.items(), key=lambda it: it[1])[:2])
    yield from (_IN_WORDS[one] for one in _terms((query,)) if one in _IN_WORDS)


def _reason(query: Any, told: Sequence[Seen]) -> str | None:
    lines = [one.line for one in told if one.line is not None]
    words = next((_IN_WORDS[one] for one in _terms((query,)) if one in _IN_WORDS), None)
    return words or (f"line {lines[0]}" if lines else None)


def _has(places: Iterable[Seen], line: int) -> bool:
    """Return whether one of the places is on a line. Line numbers of a saved snapshot may be anything."""
    spans = ((one.line, one.last_line if one.last_line is not None else one.line) for one in places)
    return any(first is not None and last is not None and first <= line <= last for first, last in spans)


def _rests_elsewhere(findings: Iterable[Finding], places: Sequence[Seen], symptoms: Container[str]) -> bool:
    """Return whether a cause was found that rests on more than the lines of the error.

    symptoms  the findings that say what is missing, but not why
    """
    texts = [one.text for one in places]
    for finding in findings:
        if finding.severity == "info" or not finding.is_cause or finding.name in symptoms:
            continue
        for evidence in finding.evidence:
            if evidence.line is None and not any(_is_one(evidence.value, text) for text in texts):
                return True
            if evidence.line is not None and not _has(places, evidence.line):
                return True
    return False


def _is_one(value: str, text: str) -> bool:
    return len(value) > _SHORT and (value in text or text in value)
