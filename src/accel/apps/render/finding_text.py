"""A finding for people: problem, evidence, fix, one alternative, and how to verify it."""

from collections.abc import Iterator, Sequence
from typing import Final

from accel.apps.render.diagnosis_words import SHOWN, SURENESS, WHO, place
from accel.apps.render.page import Paragraph
from accel.model.dataclass import dataclass, field
from accel.model.device_range import device_range
from accel.model.diagnosis import Evidence, Finding, OpenQuestion, Remedy
from accel.text.pattern import pattern
from accel.text.words import capitalised

_MARKS: Final = {"error": ("✗", "bold red"), "warning": ("!", "yellow"), "info": ("i", "cyan")}
ROOM: Final = 11  # width of the label column: the longest label is "alternative"
INDENT: Final = 2
_MOST_EVIDENCE: Final = 2
_LONGEST_EVIDENCE: Final = 150  # two lines of a terminal
# The name of a fact that rules parse from a sentence.
_FOLLOWS: Final = pattern(r"Then,? ", exact_case=True)
_READING: Final = pattern(r"\d[\w.+-]{0,60}", exact_case=True)  # a package's version, a driver's
_OR: Final = pattern(r"^Or,? ", exact_case=True)
_STATEMENT: Final = pattern(r"[a-z0-9]+(?:-[a-z0-9]+)+", exact_case=True)
_RAISES: Final = pattern(r"raise [\w.]{2,80}\(f?[\"'](.{8,300}?)[\"']?\)?", exact_case=True)
_REPEATED: Final = 60  # leading characters that identify a repeated line
MOST_COMMANDS: Final = 2


@dataclass(slots=True, kw_only=True)
class Left:
    """What a short answer leaves out."""

    remedies: int = 0
    looks: int = 0
    notes: int = 0
    questions: list[OpenQuestion] = field(default_factory=list)
    tickets: int = 0


def finding_view(
    finding: Finding, left: Left, *, verbose: bool, short: bool, ticket: bool, alone: bool
) -> Iterator[Paragraph]:
    """Yield a finding. short: only title and fix; alone: there is only one accelerator, so do not name it."""
    yield _title(finding)
    if finding.explained_by:
        yield row("problem", f"Follows from {', '.join(finding.explained_by)}: fix that first.")
    where = _where(finding, alone)
    if (finding.detail or where) and (verbose or not short):
        yield row(
            "" if finding.explained_by else "problem" if finding.detail else "where",
            ". ".join(part.rstrip(".") for part in (where, finding.detail) if part) + ".",
        )
    yield from (row("", sentence) for sentence in finding.compared)
    consequence = bool(finding.explained_by)
    yield from _evidence(finding, most=None if verbose else 1 if consequence or short else _MOST_EVIDENCE)
    if verbose:
        yield from _how_sure(finding)
    most = None if verbose else 0 if consequence else 1 if short else 2
    shown = _chosen(finding.remedies, most)
    hidden = [one for one in finding.remedies if one not in shown]
    left.looks += sum(one.kind == "look" for one in hidden)
    left.remedies += sum(one.kind != "look" for one in hidden)
    for number, remedy in enumerate(shown):
        after = _FOLLOWS.match(remedy.text) if number else None
        text = remedy.text[after.end() :] if after else _OR.sub("", remedy.text) if number else remedy.text
        looks = remedy.kind == "look"
        label = "then" if after else ("check" if looks else "alternative") if number else "next" if looks else "fix"
        yield row(label, capitalised(text), (f"  ({WHO[remedy.action]})", "dim"))
        yield from commands_view(remedy.command, None if verbose else MOST_COMMANDS)
    if finding.verification is not None and shown and (verbose or not short):
        yield row("verify", finding.verification.text)
        if finding.verification.command is not None and finding.verification.command not in finding.verification.text:
            yield from commands_view(finding.verification.command, None)
    yield from _ticket(finding, left, shown=ticket)


def _title(finding: Finding) -> Paragraph:
    mark, colour = _MARKS[finding.severity]
    return Paragraph((f"{mark} {finding.title}", colour), (f"  [{finding.code} {finding.name}]", "dim"))


def _where(finding: Finding, alone: bool) -> str:
    """Return the machine or run of a text, and the devices if the title does not name them."""
    devices = device_range(finding.devices)
    unnamed = (
        devices
        and not alone
        and devices not in finding.title
        and not all(one in finding.title for one in finding.devices)
    )
    where = ": ".join(part for part in (", ".join(finding.parts), devices if unnamed else "") if part)
    return where[:1].upper() + where[1:] if finding.parts or not where else f"On {where}"


def _evidence(finding: Finding, *, most: int | None) -> Iterator[Paragraph]:
    """Show the most certain lines; a reading is shown with its name, a line of a text as it is."""
    shown = finding.evidence if most is None else _best(finding.evidence, most)
    about = (finding.title, finding.detail or "")
    for number, fact in enumerate(shown):
        yield row("" if number else "evidence", _fact(fact) if most is None else _short_fact(fact, about))


def _best(evidence: Sequence[Evidence], most: int) -> list[Evidence]:
    """Return the best evidence, the most certain first, without lines that repeat another one or part of it."""
    best: list[Evidence] = []
    for fact in sorted(evidence, key=lambda fact: fact.grade in ("said", "implied")):
        if not any(_repeats(fact.value, other.value) for other in best):
            best.append(fact)
    return best[:most]


def _repeats(one: str, other: str) -> bool:
    """Return whether a line repeats another one or its start, or raises the exception that the other one reports."""
    if one[:_REPEATED] in other or other[:_REPEATED] in one:
        return True
    raised = [_RAISES.fullmatch(text.strip()) for text in (one, other)]
    return any(match is not None and match[1] in text for match, text in zip(raised, (other, one), strict=True))


def _fact(fact: Evidence) -> str:
    return f"{fact.fact}: {fact.value}{place(fact)}"


def _short_fact(fact: Evidence, about: Sequence[str]) -> str:
    """Return a fact in at most two lines. about: sentences about what it proves."""
    cut = " ".join(fact.value.split())
    if len(cut) > _LONGEST_EVIDENCE:
        from accel.text.excerpt import excerpt

        cut = excerpt(cut, about, _LONGEST_EVIDENCE)
    is_bare = " " not in cut and (cut.isalnum() or fact.line is None or _READING.fullmatch(cut) is not None)
    if fact.line is not None and not is_bare and not (fact.source or "").startswith(SHOWN):
        return f"{cut}  (line {fact.line})"
    named = cut.split(" ", 1)[0] == fact.fact.split("'", 1)[0] and not is_bare  # torch's build: torch 2.4.0+cpu
    is_sentence = named or (_STATEMENT.fullmatch(fact.fact) is not None and not is_bare)
    return f"{cut}{place(fact)}" if is_sentence else f"{fact.fact}: {cut}{place(fact)}"


def _how_sure(finding: Finding) -> Iterator[Paragraph]:
    if finding.rests_on and finding.rests_on[0] in ("said", "implied"):
        yield row("", f"This {SURENESS[finding.rests_on[0]]}.")
    for told in finding.attempts:
        yield row("", f"Already tried, without success: {told}")


def _chosen(remedies: Sequence[Remedy], most: int | None) -> tuple[Remedy, ...]:
    """Return the first remedies; the second changes something, or shows what to do where the first has no command."""
    if most != 2 or len(remedies) < 2:
        return tuple(remedies[:most])
    other = next((one for one in remedies[1:] if one.kind != "look"), None)
    if other is None and (remedies[0].command is None or remedies[0].kind == "look"):
        other = remedies[1]
    return (remedies[0], *([other] if other is not None else []))


def _ticket(finding: Finding, left: Left, *, shown: bool) -> Iterator[Paragraph]:
    """Show what to send, if someone else must take the first steps and no command does them."""
    request = next((remedy.request for remedy in finding.remedies if remedy.request), None)
    if request is None:
        return
    left.tickets += 1
    for number, line in enumerate(request.splitlines() if shown else ()):
        yield row("" if number else "ticket", line)


def row(label: str, *spans: str | tuple[str, str]) -> Paragraph:
    return Paragraph(*spans, indent=INDENT, label=label, room=ROOM)


def commands_view(command: str | None, most: int | None) -> Iterator[Paragraph]:
    """Show commands as typed; of a command for many devices, the first ones and how many more there are."""
    lines = (command or "").splitlines()
    shown = lines if most is None or len(lines) <= most + 1 else lines[:most]
    for line in shown:
        yield Paragraph((line, "bold"), indent=INDENT + ROOM + 2, whole=True)
    if len(shown) < len(lines):
        yield row("", (f"and {len(lines) - len(shown)} more like it, for the other devices", "dim"))


def notes_view(notes: Sequence[Finding], left: Left, *, shown: bool, every: bool) -> Iterator[Paragraph]:
    """Show findings that are only notes. every: with all evidence."""
    if not shown:
        left.notes += len(notes)
        return
    if notes:
        yield Paragraph("")
    for finding in notes:
        yield _title(finding)
        if every or any(fact.line is not None for fact in finding.evidence):
            yield from _evidence(finding, most=None if every else 1)
        for remedy in finding.remedies[:1]:
            yield row("next", remedy.text)
            yield from commands_view(remedy.command, None)
