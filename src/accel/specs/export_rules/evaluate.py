"""The export rules' verdict on one chip, date and destination, with the verdicts of earlier and later rules."""

from typing import TYPE_CHECKING, Final, Literal

from accel.model.dataclass import dataclass
from accel.specs.export_rules.conditions import Comparison, Subject, decide
from accel.specs.export_rules.quantities import Quantities, quantities
from accel.specs.export_rules.rules import Destination, Rule, in_scope, not_judged, rules
from accel.specs.export_rules.three_valued import Truth, any_of

if TYPE_CHECKING:
    from accel.specs import Chip, Specs

NOTICE: Final = (
    "Not legal advice. This compares published figures with published thresholds; classification, end users, entity "
    "lists and letters that are not public decide too. Ask a specialist before you ship."
)
THIN: Final = 0.1  # margin, as a share of the limit, that is worth a word
Licence = Literal["needed", "not needed by these rules", "undecided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassFinding:
    """Whether the chip is in one class of a rule, and the comparisons that decided it. None: undecided."""

    name: str
    holds: Truth
    comparisons: tuple[Comparison, ...]
    means: str
    exception: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFinding:
    """The verdict of one version of one rule.

    outcome  the class, "not controlled", "not addressed", "not applicable", "undecided", or the rule's own word;
             "undecided since 2026-07-01" for a date after the day up to which the rule is known
    until_then  the outcome up to that day; None if the rule is known on the requested date
    applies  whether the rule catches the chip; None if undecided
    if_known what would settle an undecided class: "3A090.a if the logic dies have at most 757 mm²"
    """

    rule: str
    title: str
    role: str
    applies_from: str
    applies_until: str | None
    in_scope: bool
    addressed: bool
    outcome: str
    applies: Truth
    classes: tuple[ClassFinding, ...]
    if_known: tuple[str, ...] = ()
    until_then: str | None = None
    excluded: str | None = None
    citation: str | None = None
    changed: str | None = None
    remark: str | None = None
    sources: tuple[str, ...] = ()
    confidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFinding:
    """The complete answer. in_force: the rules on the date; before, since: rules that had ended, or had yet to come."""

    chip: str
    date: str
    to: Destination
    licence: Licence
    because: str
    quantities: Quantities
    in_force: tuple[RuleFinding, ...]
    before: tuple[RuleFinding, ...]
    since: tuple[RuleFinding, ...]
    thin_margins: tuple[str, ...]
    not_judged: tuple[str, ...]
    notice: str = NOTICE


def export_finding(specs: "Specs", chip: "Chip", date: str, to: Destination) -> ExportFinding:
    """Judge the chip by the rules in force on the date ("2026-01-15"), for the destination."""
    architecture = specs.architecture(chip.vendor, chip.architecture)
    worked_out = quantities(chip, architecture.matrix_dtypes if architecture else None)
    every = rules(specs)
    found = {rule.name: _judged(specs, rule, chip, worked_out, every, to, date) for rule in every}
    now = tuple(found[rule.name] for rule in every if rule.in_force(date))
    licence, because = _licence(now, to)
    return ExportFinding(
        chip=chip.name,
        date=date,
        to=to,
        licence=licence,
        because=because,
        quantities=worked_out,
        in_force=now,
        before=tuple(found[r.name] for r in every if r.applies_until is not None and r.applies_until < date),
        since=tuple(found[r.name] for r in every if r.applies_from > date),
        thin_margins=tuple(_thin(now)),
        not_judged=not_judged(specs, date),
    )


def _judged(
    specs: "Specs", rule: Rule, chip: "Chip", given: Quantities, every: tuple[Rule, ...], to: Destination, date: str
) -> RuleFinding:
    names = (chip.name, *chip.aliases)
    day = date if rule.in_force(date) else rule.applies_from
    subject = Subject(names=names, quantities=given, classes=_classes_on(every, names, given, day))
    excluded = decide(rule.excluded, subject)[0] if rule.excluded else False
    of = decide(rule.of, subject)[0] if rule.of else True
    classes = tuple(_class_findings(rule, subject, excluded))
    outcome, applies = _outcome(rule, classes, excluded, of)
    addressed = rule.makers is None or chip.vendor in rule.makers
    within = in_scope(specs, rule.scope, to)
    since = rule.undecided_since(date)
    return RuleFinding(
        rule=rule.name,
        title=rule.title,
        role=rule.role,
        applies_from=rule.applies_from,
        applies_until=rule.applies_until,
        in_scope=within,
        addressed=addressed,
        outcome=f"undecided since {since}" if since else outcome,
        applies=(None if since else applies) if within and addressed else False,
        classes=classes,
        if_known=tuple(_if_known(classes, given)) if outcome == "undecided" else (),
        until_then=outcome if since else None,
        excluded=rule.excluded_means if excluded else None,
        citation=rule.citation,
        changed=rule.changed,
        remark=rule.remark,
        sources=rule.sources,
        confidence=rule.confidence,
    )


def _class_findings(rule: Rule, subject: Subject, excluded: Truth) -> list[ClassFinding]:
    """Return a finding for each class; a chip in an earlier class is in no later one."""
    found: list[ClassFinding] = []
    for item in rule.classes:
        holds, comparisons = decide(item.when, subject)
        earlier = any_of(other.holds for other in found)
        if holds is not False and earlier is not False:
            holds = False if earlier else None
        if excluded is not False and holds is not False:
            holds = False if excluded else None
        exempt = bool(item.exception_when) and holds is not False and decide(item.exception_when or {}, subject)[0]
        found.append(
            ClassFinding(
                name=item.name,
                holds=holds,
                comparisons=comparisons,
                means=item.means,
                exception=item.exception if exempt else None,
            )
        )
    return found


def _outcome(rule: Rule, classes: tuple[ClassFinding, ...], excluded: Truth, of: Truth) -> tuple[str, Truth]:
    if of is False:
        return "not applicable", False
    met = next((found for found in classes if found.holds), None)
    if of is None or (met is None and any(found.holds is None for found in classes)):
        return "undecided", None
    if met is not None:
        return met.name, True
    if rule.otherwise:
        return rule.otherwise, True
    return "not controlled" if rule.role == "licence" else "not applicable", False


def _classes_on(
    every: tuple[Rule, ...], names: tuple[str, ...], given: Quantities, date: str
) -> tuple[tuple[str, Truth], ...]:
    """Return the classes of the licence regulations in force on the date, each with whether the chip is in it."""
    subject = Subject(names=names, quantities=given)
    found: list[tuple[str, Truth]] = []
    for rule in every:
        if rule.role == "licence" and rule.kind == "regulation" and rule.in_force(date):
            excluded = decide(rule.excluded, subject)[0] if rule.excluded else False
            found += [(item.name, item.holds) for item in _class_findings(rule, subject, excluded)]
    return tuple(found)


def _licence(found: tuple[RuleFinding, ...], to: Destination) -> tuple[Licence, str]:
    deciding = [item for item in found if item.role == "licence"]
    here = [item for item in deciding if item.in_scope and item.addressed]
    late = next((item for item in deciding if item.until_then is not None), None)
    if late is not None and to.code != "US":  # what came later may look at other destinations too
        then = "; ".join(f"{item.title}: {item.until_then or item.outcome}" for item in here)
        since = late.outcome.removeprefix("undecided ")
        none = "no rule of this kind was in force for this destination"
        return "undecided", f"{since}: what was published later is not in this data. Until then: {then or none}"
    met = [item for item in here if item.applies]
    if met:
        return "needed", "; ".join(f"{item.title}: {item.outcome}" for item in met)
    if any(item.applies is None for item in here):
        return "undecided", "; ".join(item.title for item in here if item.applies is None)
    if not here:
        return "not needed by these rules", "no rule of this kind was in force for this destination"
    return "not needed by these rules", "no class of a rule in force fits"


def _if_known(classes: tuple[ClassFinding, ...], given: Quantities) -> list[str]:
    """Return the die area that would settle each class, if only the die area is missing."""
    performance = given.numbers["processing_performance"]
    found = []
    for item in classes:
        for comparison in item.comparisons:
            open_area = comparison.quantity == "performance_density" and comparison.holds is None and comparison.limit
            if open_area and performance.known and item.holds is None and "≥" in comparison.text:
                area = performance.low / (comparison.limit or 1.0)
                found.append(
                    f"{item.name} asks for density ≥ {comparison.limit:g}: at most {area:.0f} mm² of logic dies"
                )
    return list(dict.fromkeys(found))


def _thin(found: tuple[RuleFinding, ...]) -> list[str]:
    """Return a sentence for each limit that the chip is close to, once per rule."""
    said: dict[tuple[str, str | None, float | None], str] = {}
    for item in found:
        for comparison in (c for group in item.classes for c in group.comparisons):
            key = (item.rule, comparison.quantity, comparison.limit)
            near = comparison.margin is not None and abs(comparison.margin) <= THIN
            if near and comparison.margin is not None and item.in_scope and item.addressed and key not in said:
                side = "above" if comparison.margin >= 0 else "below"
                said[key] = f"{comparison.text}: {abs(comparison.margin):.1%} {side} the line ({item.title})"
    return list(said.values())
