"""Formats a result for people: what is wrong or not proven, and what to do; passed rules are only counted."""

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from accel.kit.requirement import LEVELS, Level, Outcome
from accel.kit.result import Result

if TYPE_CHECKING:
    from rich.console import Console

Line = tuple[int, str, str]  # indentation in columns, the sentence, its style

_STYLE: Final = {"passed": "green", "failed": "bold red", "not proven": "yellow", "not applicable": "dim"}
_WORD: Final = {"passed": "ok", "failed": "FAULT", "not proven": "not proven", "not applicable": "n/a"}
_MOST_SHOWN: Final = 4  # faults per rule; all of them with --verbose


def print_result(result: Result, out: "Console", *, verbose: bool) -> None:
    """Print the result, each sentence wrapped with a hanging indent."""
    from rich.text import Text

    for indent, sentence, style in result_lines(result, verbose=verbose):
        width = max(20, out.width - indent)
        for line in wrap(sentence, width, break_long_words=False, break_on_hyphens=False) or [""]:
            out.print(Text(" " * indent + line, style=style), soft_wrap=True)


def result_lines(result: Result, *, verbose: bool) -> Iterator[Line]:
    """Yield the heading, each rule that did not pass, the counts, the notes, the level."""
    version = f" {result.version}" if result.version else ""
    yield 0, f"{result.plugin}: plugin of {result.distribution}{version}", "bold"
    yield 0, f"Recorded machines: {', '.join(result.machines) or 'none'}", ""
    yield 0, "", ""
    for outcome in result.outcomes:
        if verbose or outcome.status == "failed":
            yield from _outcome(outcome, verbose)
    if not verbose:
        yield from _not_proven(result)
    for level in LEVELS:
        if any(outcome.level == level for outcome in result.outcomes):
            yield 0, _counts(result, level), ""
    for note in result.notes:
        yield 0, f"Note: {note}", ""
    if not result.chosen:
        yield 0, f"Level: {result.level or 'none'}", "bold green" if result.level else "bold red"


def _not_proven(result: Result) -> Iterator[Line]:
    """Yield the unproven rules, grouped by what they lack."""
    by_note: dict[str, list[Outcome]] = {}
    for outcome in result.outcomes:
        if outcome.status == "not proven":
            by_note.setdefault(outcome.note or "", []).append(outcome)
    for note, outcomes in by_note.items():
        if len(outcomes) == 1:
            yield from _outcome(outcomes[0], False)
            continue
        yield 0, f"{_WORD['not proven']}  {', '.join(outcome.rule for outcome in outcomes)}", _STYLE["not proven"]
        yield 4, note, ""
        yield 0, "", ""


def _outcome(outcome: Outcome, verbose: bool) -> Iterator[Line]:
    yield 0, f"{_WORD[outcome.status]}  {outcome.rule}: {outcome.title}", _STYLE[outcome.status]
    shown = outcome.faults if verbose else outcome.faults[:_MOST_SHOWN]
    remedies = [fault.remedy for fault in shown]
    for number, fault in enumerate(shown):
        where = f"  ({fault.where})" if fault.where else ""
        yield 4, f"{fault.sentence}{where}", ""
        if fault.remedy not in remedies[number + 1 :]:  # printed once, after the last fault that it fixes
            yield 6, f"-> {fault.remedy}", "cyan"
    if len(outcome.faults) > len(shown):
        yield 4, f"and {len(outcome.faults) - len(shown)} more:  --verbose", "dim"
    if outcome.note:
        yield 4, outcome.note, ""
    if outcome.faults or outcome.note:
        yield 0, "", ""


def _counts(result: Result, level: Level) -> str:
    of_level = [outcome.status for outcome in result.outcomes if outcome.level == level]
    parts = [f"{of_level.count('passed')} of {len(of_level)} passed"]
    for status, words in (("failed", "failed"), ("not proven", "not proven"), ("not applicable", "do not apply")):
        if status in of_level:
            parts.append(f"{of_level.count(status)} {words}")
    return f"{level:<9} {', '.join(parts)}"
