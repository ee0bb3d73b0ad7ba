"""Export rules and technical limits of a chip, for people: the answer, the arithmetic, the clauses, what changed."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Final

from rich.console import Console
from rich.text import Text

from accel.apps.render.console import console
from accel.apps.render.restrictions_words import EFFECTS, rule_outcome
from accel.specs.export_rules.evaluate import ClassFinding, ExportFinding, RuleFinding
from accel.specs.export_rules.restrictions import Restrictions
from accel.specs.export_rules.technical import Limit
from accel.specs.export_rules.three_valued import Truth

_COLOURS: Final = {"needed": "bold yellow", "not needed by these rules": "green", "undecided": "magenta"}


def print_restrictions(found: Sequence[Restrictions], sources: bool, together: str = "") -> None:
    """Print the answers one after the other. sources: with addresses; together: print what they share first."""
    out = console()
    if together:
        out.print(Text(together, style="bold"))
        out.print()
    for number, item in enumerate(found):
        if number:
            out.print()
        title = f"{item.device}: {item.chip}" if item.device else item.chip
        out.print(Text(title, style="bold"))
        _export(out, item.export, sources)
        _limits(out, item.technical, sources)
    if found:
        out.print()
        out.print(Text(found[0].export.notice, style="bold"))


def _export(out: Console, it: ExportFinding, sources: bool) -> None:
    assumed = " (assumed; name another destination with --to)" if it.to.assumed else ""
    groups = f", country groups {', '.join(it.to.groups)}" if it.to.groups else ", in no country group"
    out.print(Text.assemble("U.S. export licence: ", (it.licence, _COLOURS[it.licence]), f" — {it.because}"))
    out.print(Text(f"As of {it.date}, to {it.to.name}{groups}{assumed}.", style="dim"))
    _head(out, "The arithmetic")
    for step in it.quantities.steps:
        _line(out, step)
    _head(out, f"The rules in force on {it.date}")
    for rule in it.in_force:
        _rule(out, rule, sources)
    if not it.in_force:
        _line(out, "None of this kind.")
    if it.thin_margins:
        _head(out, "Thin margins: a slightly different figure would change the answer")
        for text in it.thin_margins:
            _line(out, text)
    for title, group in (("Before", it.before), ("What changed since", it.since)):
        if group:
            _head(out, title)
            for rule in group:
                _line(out, f"{_span(rule)}  {rule.title}: {rule_outcome(rule)}")
                if rule.changed and title != "Before":
                    _line(out, rule.changed, 4)
    _head(out, "Not decided by a chip's figures")
    for text in it.not_judged:
        _line(out, text)


def _rule(out: Console, rule: RuleFinding, sources: bool) -> None:
    citation = f" [{rule.citation}]" if rule.citation else ""
    _line(out, f"{rule.title}{citation}, {_span(rule)}: {rule_outcome(rule)}")
    if rule.excluded:
        _line(out, f"Left out by: {rule.excluded}", 4)
    for item in rule.classes:
        _class(out, item)
    for text in rule.if_known:
        _line(out, f"What would settle it: {text}", 4)
    if rule.remark:
        _line(out, f"Remark: {rule.remark}", 4)
    if sources:
        _line(out, f"Sources: {', '.join(rule.sources)} (confidence: {rule.confidence})", 4)


def _class(out: Console, item: ClassFinding) -> None:
    tests = "; ".join(f"{comparison.text} {_word(comparison.holds)}" for comparison in item.comparisons)
    _line(out, f"{_mark(item.holds)} {item.name}: {tests}", 4)
    if item.holds is not False:
        _line(out, item.means, 6)
        if item.exception:
            _line(out, item.exception, 6)


def _limits(out: Console, found: Sequence[Limit], sources: bool) -> None:
    sure = [limit for limit in found if limit.applies]
    perhaps = [limit for limit in found if limit.applies is None]
    _head(out, f"Technical limits: {len(sure)}")
    for limit in sure:
        _line(out, f"{limit.limit} [{EFFECTS[limit.effect]}]")
        _line(out, limit.so, 4)
        if sources:
            _line(out, f"Sources: {', '.join(limit.sources)} (confidence: {limit.confidence})", 4)
    if perhaps:
        _head(out, "Depending on the machine")
        for limit in perhaps:
            _line(out, f"{limit.limit} [{EFFECTS[limit.effect]}; depends on {', '.join(limit.depends_on)}]")


def _head(out: Console, text: str) -> None:
    out.print()
    out.print(Text(text, style="bold"))


def _line(out: Console, text: str, indent: int = 2) -> None:
    for line in wrap(text, max(20, out.width - indent), break_long_words=False, break_on_hyphens=False):
        out.print(Text(" " * indent + line), soft_wrap=True)


def _span(rule: RuleFinding) -> str:
    return f"{rule.applies_from} to {rule.applies_until}" if rule.applies_until else f"since {rule.applies_from}"


def _word(holds: Truth) -> str:
    return "(undecided)" if holds is None else "(yes)" if holds else "(no)"


def _mark(holds: Truth) -> str:
    return "?" if holds is None else "✓" if holds else "✗"
