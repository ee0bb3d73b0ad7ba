"""The open questions of a diagnosis, in one list, and the problems a text mentions that are not current faults."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from accel.apps.render.finding_text import INDENT, MOST_COMMANDS, ROOM, Left, commands_view, row
from accel.apps.render.page import Paragraph
from accel.apps.render.units import plural
from accel.model.diagnosis import Finding, Mention, OpenQuestion, Topic

_HOLDS_NOT: Final = {
    "present": "present",
    "past": "past",
    "negated": "denied",
    "quoted": "quoted",
    "source": "in code",
    "expected": "expected",
    "hypothetical": "supposed",
    "elsewhere": "on another machine",
}
_MOST_QUESTIONS: Final = 3
_MOST_SENTENCES: Final = 4
_MOST_LINES: Final = 3
_MOST_CAUSES: Final = 4
_SHORT: Final = 60  # characters of an error's line
_ADD: Final = "Add to the text:"
_COMPARE: Final = "Run this and compare its output with the causes:"


def mentions_view(mentioned: Sequence[Mention]) -> Iterator[Paragraph]:
    """Show the faults that a text mentions but that are not current, and why; an unclear one is a question."""
    mentions = [one for one in mentioned if one.status != "unclear"]
    if mentions:
        yield Paragraph("")
        yield Paragraph(("Mentioned, but not a fault of this machine now:", "bold"))
    for one in mentions:
        why = _HOLDS_NOT[one.status] + (f": {one.why}" if one.why else "")
        where = f"line {one.line}, " if one.line is not None else ""
        yield Paragraph(one.title, (f"  [{one.code} {one.name}]  ({where}{why})", "dim"), indent=INDENT)


def questions_view(
    questions: Sequence[OpenQuestion], left: Left, *, verbose: bool, faults: Sequence[Finding], live: bool
) -> Iterator[Paragraph]:
    """Show open questions; if faults were found, only what accel could not do, because the faults come first."""
    of: dict[Topic, list[OpenQuestion]] = {}
    for one in questions:
        of.setdefault(one.topic, []).append(one)
    asked, lacking, unread = (*of.get("cause", ()), *of.get("error", ())), of.get("text", []), of.get("machine", [])
    if faults and not verbose:
        told = {evidence.line for fault in faults for evidence in fault.evidence if evidence.line is not None}
        left.questions += [one for one in asked if told.isdisjoint(line for line, _ in one.lines)]
        left.questions += lacking
        asked, lacking, unread = (), [], [one for one in unread if one.checks and one.settles]
    most = None if verbose else _MOST_QUESTIONS
    left.questions += asked[len(asked[:most]) :]
    for one in asked[:most]:
        yield Paragraph("")
        yield from _question(one, verbose=verbose, live=live)
    if not verbose and any(one.outcomes and one.settles for one in asked):
        left.questions += [*lacking, *(() if live else unread)]
        lacking, unread = [], unread if live else []
    yield from _lacking(lacking, None if verbose else _MOST_QUESTIONS, left)
    yield from _sentences("Failed:", of.get("failure", []), verbose=verbose)
    yield from _sentences("Not read:", of.get("input", []), verbose=verbose)
    yield from _sentences("Not checked:", unread, verbose=verbose)


def question_in_short(one: OpenQuestion) -> str:
    """Return what a question is about, in one line: other possible causes of line 11, "Reason: …"."""
    if one.topic in ("cause", "error") and one.lines:
        line, text = one.lines[0]
        words = f'"{textwrap.shorten(text, _SHORT, placeholder=" …")}"'
        asked = "other possible causes of" if one.topic == "cause" else "what caused"
        return f"{asked} line {line}, {words}" if line is not None else f"{asked} {words}"
    return one.unknown


def _lacking(questions: Sequence[OpenQuestion], most: int | None, left: Left) -> Iterator[Paragraph]:
    """Show what to add to a text, one line each, with the command that prints it."""
    if questions:
        yield Paragraph("")
        yield Paragraph(("To check more, add to the text:", "bold"))
    left.questions += questions[len(questions[:most]) :]
    for one in questions[:most]:
        yield Paragraph(one.unknown, indent=INDENT)
        for command in one.settles:
            yield Paragraph((command, "bold"), indent=2 * INDENT, whole=True)


def _sentences(title: str, questions: Sequence[OpenQuestion], *, verbose: bool) -> Iterator[Paragraph]:
    shown = questions if verbose else questions[:_MOST_SENTENCES]
    if questions:
        yield Paragraph("")
        yield Paragraph((title, "bold"))
    yield from (Paragraph(_sentence(one), indent=INDENT) for one in shown)
    if len(shown) < len(questions):
        yield Paragraph((f"and {len(questions) - len(shown)} more: --verbose", "dim"), indent=INDENT)


def _question(one: OpenQuestion, *, verbose: bool, live: bool) -> Iterator[Paragraph]:
    most = None if verbose else _MOST_CAUSES
    titled = one.topic == "cause" and one.why is not None
    title = f"{_capitalized(one.why or '')}: {one.unknown.lower()}" if titled else one.unknown
    yield Paragraph((f"? {title}", "bold yellow"))
    for number, (line, text) in enumerate(one.lines[: None if verbose else _MOST_LINES]):
        yield row("" if number else "evidence", f"{text}  (line {line})" if line is not None else text)
    if one.why and not titled:
        yield row("problem", one.why)
    decided = one.topic == "cause" and len(one.outcomes) == len(one.causes)
    if not decided:
        yield from _causes(one, most)
    commands = one.settles[: 1 if one.outcomes and not verbose else None if verbose else MOST_COMMANDS]
    if commands:
        yield row("next", "See what would show more:" if live else _COMPARE if one.topic == "cause" else _ADD)
    for command in commands:
        yield from commands_view(command, None)
    if decided:
        yield from _causes(one, most, one.outcomes)
    else:
        yield from (row("" if commands or n else "next", outcome) for n, outcome in enumerate(one.outcomes[:most]))


def _causes(one: OpenQuestion, most: int | None, outcomes: Sequence[str] = ()) -> Iterator[Paragraph]:
    """Show the possible causes, each with the facts that would support it and what to do then."""
    alone = sum(bool(support) for support in one.supports) == 1
    more = len(one.causes) - len(one.causes[:most])
    for number, cause in enumerate(one.causes[:most], 1):
        support = one.supports[number - 1] if one.supports else ""
        yield row("" if number > 1 else "cause", f"{number}. {_capitalized(cause)}", _for_it(support, alone=alone))
        if outcomes:
            decides, _, then = outcomes[number - 1].partition(f": cause {number}.")
            yield Paragraph(
                f"{decides}{':' if then else ', this is it.'}{then}", label="", indent=INDENT, room=ROOM + 3
            )
    if more:
        yield row("", (f"and {more} more: --verbose", "dim"))


def _for_it(support: str, *, alone: bool) -> str:
    """Return what supports a cause. alone: nothing supports any other one."""
    return f" ({'most likely' if alone else 'evidence'}: {support})" if support else ""


def _capitalized(words: str) -> str:
    """Return the words with an initial capital; the name of a file, a module or a variable keeps its spelling."""
    first = words.partition(" ")[0]
    return f"{words[:1].upper()}{words[1:]}" if first.isalpha() else words


def _sentence(one: OpenQuestion) -> str:
    """Return "Kernel log not readable as this user: 9 checks not run; run  sudo accel doctor"."""
    said = ": ".join(part for part in (one.unknown, one.why) if part)
    if one.checks:
        said += f"{';' if one.why else ':'} {plural(one.checks, 'check')} not run"
    return f"{said}; run  {one.settles[0]}" if one.settles else said
