"""Errors with several possible causes: from the tables (specs/*/ambiguous), and lines on which several findings rest.

several causes remain     an open question, with the one command that distinguishes most of them
one remains               it is the finding: the text rules out the others
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final

from accel.diagnose.askable import askable, maker_of
from accel.diagnose.candidates import Cause, OpenError, Seen, fixes_for, identities
from accel.facts.infer import symptoms_of
from accel.facts.questions import Facts
from accel.model.dataclass import dataclass
from accel.model.diagnosis import AmbiguousCauses, Candidate, Evidence, Finding, Remedy
from accel.model.observation import Fact
from accel.specs import Specs
from accel.specs.ambiguous import rows_of
from accel.text.pattern import pattern
from accel.vendors.contract.check import Check, Problem, quoted
from accel.vendors.contract.command import parts_of
from accel.vendors.contract.rule import fact_from

_MOST: Final = 6  # candidates that are shown of one error
_MOST_FOUND: Final = 4  # of one line, where each was found
_MOST_EXCLUDED: Final = 3  # causes that a finding names as ruled out
_ARTICLES: Final = ("a", "an", "no", "the", "this", "work")
_SENTENCES: Final = pattern(r"(?<=[.!?])\s+(?=[A-Z])", exact_case=True)
_MOST_PARTS: Final = 4  # of the command that tells them apart
_CONTAINER: Final = "container-without-gpu"  # each vendor's devices are passed differently


@dataclass(frozen=True, slots=True)
class Asker:
    """The context for questions: the machine as far as it is known, and the shell on Windows.

    plans  also plan remedies
    """

    facts: Facts
    specs: Specs
    powershell: bool | None
    plans: bool = True


def shown(one: OpenError, checks: Mapping[str, Check], asker: Asker) -> AmbiguousCauses:
    """Return an open error in the form that is shown. checks: by name; by family, its first."""
    first = min(one.places, key=lambda place: place.line or 0)
    causes = one.causes[:_MOST]
    return AmbiguousCauses(
        line=first.line,
        text=_stated(first.text),
        candidates=tuple(_candidate(cause, one, checks, asker) for cause in causes),
        problem=one.row["says"],
        command=_typed(telling_apart(_look(cause, asker) for cause in causes), asker),
        excluded=one.excluded,
    )


def _stated(text: str) -> str:
    """Return a quotation without the questions that the writer asks on the same line, if anything else is left."""
    told = [one for one in _SENTENCES.split(text) if not one.endswith("?")]
    return " ".join(told) if told else text


def concluded(one: OpenError, checks: Mapping[str, Check], asker: Asker) -> tuple[Check, Problem] | None:
    """Return the problem of the only remaining cause, with its check.

    None if several remain, if no check is about it, or if only the absence of others supports it.
    """
    if len(one.causes) != 1 or not one.causes[0].likely or one.causes[0].row.get("finding") not in checks:
        return None
    check, cause = checks[one.causes[0].row["finding"]], one.causes[0].row
    says = one.row["says"]
    return check, Problem(
        title=f"{_capitalized(says)}: {cause['cause']}",
        detail=f"Ruled out: {'; '.join(one.excluded[:_MOST_EXCLUDED])}." if one.excluded else None,
        evidence=(*_evidence((*one.places[:2], *one.against[:2])), *_supports(one.causes[0])),
        remedies=(*_of_table(one.causes[0], one, asker.facts, asker.specs), *_confirming(one.causes[0])),
    )


def _capitalized(words: str) -> str:
    """Capitalise the start of a title, but not the name of a program."""
    return f"{words[:1].upper()}{words[1:]}" if words.partition(" ")[0] in _ARTICLES else words


def telling_apart(looks: Iterable[str | None]) -> str | None:
    """Combine commands that distinguish causes into one line: those of the likeliest cause, then the first of each."""
    told = [parts_of(look) for look in looks if look]
    parts: list[str] = []
    for part in (*(told[0][:2] if told else ()), *(each[0] for each in told), *(p for each in told for p in each[1:])):
        if len(parts) < _MOST_PARTS and not any(_shows(other, part) for other in parts):
            parts = [*(other for other in parts if not _shows(part, other)), part]
    return "; ".join(parts) or None


def _shows(command: str, other: str) -> bool:
    """Return whether a command's output includes that of another, as nvidia-smi includes nvidia-smi -L."""
    return other == command or other == f"{command} -L"


def ambiguous_causes(
    findings: Sequence[Finding], specs: Specs, told: Sequence[AmbiguousCauses] = ()
) -> tuple[AmbiguousCauses, ...]:
    """Return each set of causes that rest on the same line of the text, with what distinguishes them; usually none.

    told  what the tables leave open, which takes precedence over what follows from findings alone

    A symptom that no other finding explains becomes a question of its own: it says what is missing, but not why.
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
    asked = {one.line for one in (*told, *found.values())}
    return (*told, *found.values(), *(_why(one, specs) for one in causes if _is_unexplained(one, asked, specs)))


def _is_unexplained(finding: Finding, asked: Container[int | None], specs: Specs) -> bool:
    """Return whether a finding does not say why, several causes are known, and nothing else is asked about its line."""
    known = specs.causes.get(finding.name, {}).get("causes", ())
    on_line = bool(finding.evidence) and finding.evidence[0].line is not None
    open_ = len(known) > 1 and on_line and finding.evidence[0].line not in asked
    return open_ and any(symptom.get("asks") for symptom in symptoms_of(specs).get(finding.name, ()))


def _why(symptom: Finding, specs: Specs) -> AmbiguousCauses:
    """Return the question why a symptom is present."""
    place = symptom.evidence[0]
    return AmbiguousCauses(
        line=place.line,
        text=place.value,
        problem="this says what is missing, but not why",
        candidates=tuple(
            Candidate(code=None, name=None, title=one["cause"], decides=one.get("decides"), look=one.get("look"))
            for one in specs.causes[symptom.name]["causes"][:_MOST]
        ),
    )


def _candidates_found(findings: Iterable[Finding], specs: Specs) -> Iterable[Candidate]:
    for finding in findings:
        known: Sequence[Mapping[str, str]] = specs.causes.get(finding.name, {}).get("causes") or ({},)
        over = finding.verification.command if finding.verification is not None else None
        yield Candidate(
            code=finding.code,
            name=finding.name,
            title=finding.title,
            decides=known[0].get("decides"),
            look=known[0].get("look") or over,
        )


def explained(facts: Facts, findings: Iterable[Finding], specs: Specs) -> tuple[Seen, ...]:
    """Return the places of errors whose cause was found, which need no further explanation."""
    found = {name for one in findings if one.severity == "error" for name in (one.name, one.family) if name}
    seen = identities(facts) if found else {}
    return tuple(
        one
        for row in rows_of(specs.ambiguous, seen)
        if any(cause.get("finding") in found for cause in row["causes"])
        for identity in row["seen"]
        for one in seen.get(identity.lower(), ())
    )


def _candidate(cause: Cause, one: OpenError, checks: Mapping[str, Check], asker: Asker) -> Candidate:
    name = cause.row.get("finding")
    check = checks.get(name or "")
    return Candidate(
        code=check.code if check is not None else None,
        name=name,
        title=cause.row["cause"],
        decides=cause.row["decides"],
        look=_typed(_look(cause, asker), asker),
        supports=cause.supports,
        remedy=next(_planned(cause, one, check, asker), None),
    )


def _look(cause: Cause, asker: Asker) -> str | None:
    return askable(cause.row.get("look"), asker.facts, asker.specs)


def _typed(command: str | None, asker: Asker) -> str | None:
    """Return an inspection command in the form for this machine."""
    from accel.remedies.render import looked_at_here  # needed only where something is left open

    return looked_at_here(command, asker.facts, asker.specs, asker.powershell) if command is not None else None


def _planned(cause: Cause, one: OpenError, check: Check | None, asker: Asker) -> Iterator[Remedy]:
    """Yield what to do if this is the cause, planned for this machine."""
    from accel.remedies.planner import plan

    remedies = tuple(_of_table(cause, one, asker.facts, asker.specs))
    if remedies and check is not None:
        problem = Problem(title=cause.row["cause"], remedies=remedies)
        yield from (r for r in plan(problem, check, asker.facts, asker.specs, asker.powershell).remedies)
    else:
        yield from (remedy for remedy in remedies if remedy.command is None)


def _of_table(cause: Cause, one: OpenError, facts: Facts, specs: Specs) -> Iterator[Remedy]:
    from accel.resolver.fixes import fixes
    from accel.resolver.programs import handed_over

    if cause.row.get("finding") == _CONTAINER and (given := handed_over(maker_of(facts, specs), specs)) is not None:
        yield given
        return
    yield from fixes(fixes_for(cause.row, specs), _as_facts(one.places), facts, specs)


def _supports(cause: Cause) -> Iterator[Evidence]:
    yield from (Evidence(fact="for it", value=words) for words in cause.supports if not words.startswith("“"))


def _confirming(cause: Cause) -> Iterator[Remedy]:
    if "look" in cause.row:
        yield Remedy(text=f"See whether {cause.row['decides']}.", command=cause.row["look"], kind="look")


def _as_facts(places: Iterable[Seen]) -> list[Fact]:
    from accel.model.observation import Fact

    return [place if isinstance(place, Fact) else fact_from("error", place) for place in places]


def _evidence(places: Iterable[Seen]) -> tuple[Evidence, ...]:
    return quoted(_as_facts(places))
