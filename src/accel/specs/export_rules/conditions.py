"""Evaluates the rules' conditions for a chip, and records the comparisons that decided them."""

from typing import Final

from accel.model.dataclass import dataclass
from accel.names.tokens import words_of
from accel.specs.export_rules.quantities import Quantities
from accel.specs.export_rules.rules import Condition
from accel.specs.export_rules.three_valued import Bounds, Truth, all_of, any_of, negated
from accel.specs.indexing import own_vocabulary

_SIGNS: Final = {"at_least": "≥", "above": ">", "at_most": "≤", "below": "<"}
_SHORT: Final = {
    "processing_performance": "TPP",
    "performance_density": "density",
    "io_bandwidth": "I/O GB/s",
    "memory_bandwidth": "memory GB/s",
    "memory_and_io_bandwidth": "memory + I/O GB/s",
    "for_data_centres": "made or marketed for data centres",
    "available": "on sale",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One comparison. margin: the relative distance of the value from the limit; None if either is not a number."""

    text: str
    holds: Truth
    quantity: str | None = None
    limit: float | None = None
    value: float | None = None
    margin: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The subject of a condition. classes: those of the licence rule in force, each with whether the chip is in it."""

    names: tuple[str, ...]
    quantities: Quantities
    classes: tuple[tuple[str, Truth], ...] = ()


def decide(condition: Condition, subject: Subject) -> tuple[Truth, tuple[Comparison, ...]]:
    """Return whether the condition holds, and its comparisons. Raises KeyError for an unknown form of condition.

    {all: […]} {any: […]} {not: …} {roughly: …} {class: […]} {named: […]} {quantity: …, at_least: …}
    """
    for word, joined in (("all", all_of), ("any", any_of)):
        if word in condition:
            parts = [decide(part, subject) for part in condition[word]]
            return joined(holds for holds, _ in parts), tuple(c for _, found in parts for c in found)
    if "not" in condition:
        holds, found = decide(condition["not"], subject)
        return negated(holds), found
    if "roughly" in condition:
        holds, found = decide(condition["roughly"], subject)
        return (False if holds is False else None), found
    if "class" in condition:
        holds = any_of(truth for name, truth in subject.classes if name in condition["class"])
        return holds, (Comparison(text=f"class is {' or '.join(condition['class'])}", holds=holds),)
    if "named" in condition:
        holds = any(has_name(name, wanted) for name in subject.names for wanted in condition["named"])
        return holds, (Comparison(text=f"named {' or '.join(condition['named'])}", holds=holds),)
    found_one = _compared(condition, subject.quantities)
    return found_one.holds, (found_one,)


def has_name(name: str, wanted: str) -> bool:
    """Return whether the name contains the wanted words in order; a word that ends in * is a prefix.

    >>> has_name("GeForce GTX 1660 Ti", "GTX 16*"), has_name("H200 SXM", "H20"), has_name("Ascend 910B3", "910B*")
    (True, False, True)
    """
    have = words_of(name, own_vocabulary())
    want = tuple(word for part in wanted.split() for word in _word(part))
    return any(
        all(h.startswith(w[:-1]) if w.endswith("*") else h == w for h, w in zip(have[i:], want, strict=False))
        for i in range(len(have) - len(want) + 1)
    )


def _word(text: str) -> tuple[str, ...]:
    return (f"{text[:-1].lower()}*",) if text.endswith("*") else words_of(text, own_vocabulary())


def _compared(condition: Condition, given: Quantities) -> Comparison:
    name = condition["quantity"]
    label = _SHORT[name]
    if name == "for_data_centres":
        wanted, have = condition["is"], given.for_data_centres
        holds = None if have is None else have == wanted
        return Comparison(text=f"{'' if wanted else 'not '}{label}", holds=holds, quantity=name)
    if name == "available":
        limit, days = condition["at_most"], given.available
        known = days is not None and (days[1] <= limit or days[0] > limit)
        return Comparison(
            text=f"{label} by {limit} ({days[0] if days else 'not known'})",
            holds=days[1] <= limit if known and days else None,
            quantity=name,
        )
    operator = next(word for word in _SIGNS if word in condition)
    limit, bounds = float(condition[operator]), given.numbers[name]
    value = bounds.low if bounds.known else None
    return Comparison(
        text=f"{label} {_number(bounds)} {_SIGNS[operator]} {limit:g}",
        holds=_holds(operator, bounds, limit),
        quantity=name,
        limit=limit,
        value=value,
        margin=None if value is None else (value - limit) / limit,
    )


def _holds(operator: str, bounds: Bounds, limit: float) -> Truth:
    if operator in ("at_least", "below"):
        reached = bounds.at_least(limit)
        return reached if operator == "at_least" else negated(reached)
    passed = bounds.above(limit)
    return passed if operator == "above" else negated(passed)


def _number(bounds: Bounds) -> str:
    if bounds.known:
        return f"{bounds.low:.0f}" if bounds.low >= 100 else f"{bounds.low:.2f}"
    if bounds.low > 0:
        return f"({bounds.low:.4g} or more)"
    return "(not known)"
