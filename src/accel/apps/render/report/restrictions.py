"""The chapter on legal and technical limits of the products: export rules with their arithmetic, technical limits."""

from collections.abc import Iterable, Sequence
from typing import Final

from accel.apps.render.report import document as doc
from accel.apps.render.report.given import Given
from accel.apps.render.report.grouping import Alike
from accel.apps.render.restrictions_words import EFFECTS, rule_outcome
from accel.facts.export_context import surroundings
from accel.specs.export_rules.evaluate import ExportFinding, Licence, RuleFinding
from accel.specs.export_rules.restrictions import Restrictions, restrictions_of, verdicts
from accel.specs.export_rules.technical import Limit

_TONES: Final[dict[Licence, doc.Tone]] = {"needed": "warning", "not needed by these rules": "good", "undecided": "note"}


def restrictions(given: Given, groups: Sequence[Alike], day: str) -> doc.Section:
    """Return the chapter as of the day. Raises BadInput for an invalid day or country."""
    judged: dict[str, Restrictions] = {}
    for group in groups:
        if group.chip is not None and group.chip.name not in judged:
            around = surroundings(given.facts, group.devices[0])
            judged[group.chip.name] = restrictions_of(given.specs, group.chip, day, given.destination, around)
    blocks: list[doc.Block] = [
        doc.Group(title=chip, blocks=(*_export(item.export), *_limits(item.technical))) for chip, item in judged.items()
    ]
    exports = [item.export for item in judged.values()]
    for group in groups:
        each = [restrictions_of(given.specs, chip, day, given.destination) for chip in group.candidates]
        if each:
            blocks.append(doc.Paragraph(text=_perhaps(group, each), tone="note"))
            exports += [item.export for item in each]
    if exports:
        not_judged = doc.Lines(items=exports[0].not_judged)
        blocks.append(doc.Fold(title="Not decided by a chip's figures", blocks=(not_judged,)))
        blocks.append(doc.Paragraph(text=exports[0].notice, tone="warning"))
    else:
        none = "No product of the spec database was seen, so no export rule and no technical limit was looked up."
        blocks.append(doc.Paragraph(text=none, tone="quiet"))
    return doc.Section(name="restrictions", title="Restrictions", blocks=tuple(blocks))


def _perhaps(group: Alike, each: Sequence[Restrictions]) -> str:
    """Return what the rules say if the exact product of a device is unknown."""
    first = each[0].export
    said = verdicts(group.devices[0].name or "", each) or f"if this is {first.chip}, a licence is {first.licence}."
    return f"U.S. export licence, to {first.to.name} as of {first.date}: {said}"


def _export(it: ExportFinding) -> tuple[doc.Block, ...]:
    groups = f", country groups {', '.join(it.to.groups)}" if it.to.groups else ", in no country group"
    assumed = " (none was named, so this is assumed: see --to)" if it.to.assumed else ""
    blocks: list[doc.Block] = [
        doc.Paragraph(text=f"U.S. export licence: {it.licence}. {_sentence(it.because)}", tone=_TONES[it.licence]),
        doc.Facts(
            rows=(
                doc.Fact(label="as of", value=it.date),
                doc.Fact(label="destination", value=f"{it.to.name}{groups}{assumed}"),
            )
        ),
        doc.Lines(title="The arithmetic", items=tuple(step.strip() for step in it.quantities.steps)),
    ]
    if it.in_force:
        rows = tuple((rule.title, rule.applies_from, rule_outcome(rule), rule.citation or "-") for rule in it.in_force)
        blocks.append(
            doc.Table(
                caption=f"The rules in force on {it.date}",
                columns=("rule", "since", "this chip", "citation"),
                rows=rows,
                numeric=frozenset({"since"}),
            )
        )
    if it.thin_margins:
        blocks.append(
            doc.Lines(title="Thin margins: a slightly different figure would change the answer", items=it.thin_margins)
        )
    if it.since:
        blocks.append(doc.Lines(title="What changed since", items=tuple(map(_change, it.since))))
    tests = tuple(text for rule in it.in_force for text in _tests(rule))
    if tests:
        blocks.append(doc.Fold(title="How each class was judged", blocks=(doc.Lines(items=tests),)))
    cited = _sources((rule.title, rule.sources, rule.confidence) for rule in it.in_force)
    if cited.items:
        blocks.append(doc.Fold(title="Sources of the rules", blocks=(cited,)))
    return tuple(blocks)


def _limits(found: Sequence[Limit]) -> tuple[doc.Block, ...]:
    sure = [limit for limit in found if limit.applies]
    perhaps = [limit for limit in found if limit.applies is None]
    if not found:
        return (doc.Paragraph(text="Technical limits: none is known.", tone="quiet"),)
    blocks: list[doc.Block] = []
    if sure:
        rows = tuple((limit.limit, EFFECTS[limit.effect], limit.so) for limit in sure)
        blocks.append(doc.Table(caption="Technical limits", columns=("limit", "effect", "so"), rows=rows))
    if perhaps:
        items = tuple(f"{p.limit} [{EFFECTS[p.effect]}; depends on {', '.join(p.depends_on)}]" for p in perhaps)
        blocks.append(
            doc.Fold(title=f"Limits that depend on the machine: {len(items)}", blocks=(doc.Lines(items=items),))
        )
    cited = _sources((limit.limit, limit.sources, limit.confidence) for limit in found)
    blocks.append(doc.Fold(title="Sources of the limits", blocks=(cited,)))
    return tuple(blocks)


def _tests(rule: RuleFinding) -> tuple[str, ...]:
    found = []
    for item in rule.classes:
        said = "; ".join(f"{c.text} {_word(c.holds)}" for c in item.comparisons)
        meaning = "" if item.holds is False else f" {item.means}"
        exception = f" {item.exception}" if item.exception else ""
        found.append(f"{rule.title}, {item.name}: {_word(item.holds)}: {said}.{meaning}{exception}")
    found += [f"{rule.title}: what would settle it: {text}" for text in rule.if_known]
    if rule.excluded:
        found.append(f"{rule.title}: left out by: {rule.excluded}")
    if rule.remark:
        found.append(f"{rule.title}: remark: {rule.remark}")
    return tuple(found)


def _change(rule: RuleFinding) -> str:
    until = f" to {rule.applies_until}" if rule.applies_until else ""
    changed = f". {rule.changed}" if rule.changed else ""
    return f"From {rule.applies_from}{until}: {rule.title}: {rule_outcome(rule)}{changed}"


def _sources(cited: Iterable[tuple[str, tuple[str, ...], str | None]]) -> doc.Sources:
    return doc.Sources(
        items=tuple(
            doc.Source(
                label=label.rstrip("."), address=address, remark=f"confidence: {confidence}" if confidence else None
            )
            for label, addresses, confidence in cited
            for address in addresses
        )
    )


def _word(holds: bool | None) -> str:
    return "undecided" if holds is None else "yes" if holds else "no"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
