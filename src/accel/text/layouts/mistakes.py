"""What is wrong with a rule, as sentences; a rule is right when it reads its own example."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from accel.model.dataclass import field_names
from accel.model.device import Device
from accel.text.layouts.column import FIELDS, Fact, fact_of, measure_of
from accel.text.layouts.layout import DRIVER_FIELDS, LAYOUTS, ReaderRule, read, reader_rule
from accel.text.layouts.quantity import UNITS

_HEALTH = ("ok", "warning", "critical", "unknown")


def rule_mistakes(stated: dict[str, Any], table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (field, what was expected and what is there)."""
    layouts = [layout for layout in LAYOUTS if layout in stated]
    if len(layouts) != 1:
        yield "", f"expected one of {', '.join(LAYOUTS)}, got {' and '.join(layouts) or 'none of them'}"
        return
    found = [*_of_form(layouts[0], stated), *_of_facts(stated), *_of_driver(stated.get("driver") or {})]
    yield from found
    if not found:
        yield from _of_example(reader_rule(stated, table))


def _of_form(layout: str, stated: dict[str, Any]) -> Iterator[tuple[str, str]]:
    form = stated[layout]
    if layout in ("csv", "json") or not isinstance(form, str):
        if not isinstance(form, bool if layout == "csv" else str):
            wanted = {"csv": "true", "json": 'a path like "devices"'}.get(layout, "a regular expression")
            yield layout, f"expected {wanted}, got {form!r}"
        return
    try:
        groups = set(re.compile(form).groupindex)
    except re.error as error:
        yield layout, f"expected a regular expression: {error}"
        return
    yield from ((layout, mistake) for mistake in _of_time(form))
    for field, fact in stated["facts"].items() if layout == "rows" else ():
        source = fact if isinstance(fact, str) else fact.get("from") if isinstance(fact, dict) else None
        if isinstance(source, str) and source not in groups:
            yield f"facts.{field}", f"expected a group of the expression, got {source!r}{_near(source, groups)}"


def _of_facts(stated: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for field, fact in stated["facts"].items():
        place = f"facts.{field}"
        if field not in FIELDS:
            yield place, f"expected a fact of a device, got {field!r}{_near(field, FIELDS)}"
        elif isinstance(fact, dict) and (unknown := set(fact) - {"from", "unit", "values"}):
            yield place, f"expected from, unit and values, got {', '.join(sorted(unknown))}"
        elif not isinstance(fact, str) and not (isinstance(fact, dict) and isinstance(fact.get("from"), str)):
            yield place, f"expected a name or a mapping with from, got {fact!r}"
        else:
            yield from ((place, mistake) for mistake in _of_fact(fact_of(field, fact)))


def _of_fact(fact: Fact) -> Iterator[str]:
    measure = measure_of(fact.field)
    units = [unit for unit, kind in UNITS.items() if kind == measure]
    if measure is not None and fact.unit not in units:
        yield f"expected unit, one of {', '.join(units)}, got {fact.unit!r}{_near(str(fact.unit), units)}"
    if measure is None and fact.unit is not None:
        yield f"expected no unit: it is a text or a count, got {fact.unit!r}"
    if fact.field == "health":
        wrong = [v for v in (fact.values or {"": None}).values() if v not in _HEALTH]
        if wrong:
            yield f"expected values, each printed word as one of {', '.join(_HEALTH)}, got {fact.values!r}"


def _of_driver(stated: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for field, form in stated.items():
        if field not in DRIVER_FIELDS:
            yield f"driver.{field}", f"expected one of {', '.join(DRIVER_FIELDS)}{_near(field, DRIVER_FIELDS)}"
            continue
        try:
            groups = re.compile(form).groups
        except (re.error, TypeError) as error:
            yield f"driver.{field}", f"expected a regular expression: {error}"
            continue
        yield from ((f"driver.{field}", mistake) for mistake in _of_time(form))
        if groups != 1:
            yield f"driver.{field}", f"expected an expression with one group, got {groups}"


def _of_time(form: str) -> Iterator[str]:
    """Yield what is wrong with an expression that some text would keep busy far longer than its length warrants."""
    from accel.text.backtracking import faults

    for fault in faults(form, re.MULTILINE | re.IGNORECASE):
        yield f"expected an expression whose time grows with the length of the text alone; this one is {fault}"


def _of_example(rule: ReaderRule) -> Iterator[tuple[str, str]]:
    if not any(sign in rule.example for sign in rule.signs):
        yield "signs", f"expected one of them in the example, got {', '.join(map(repr, rule.signs)) or 'none'}"
    found = read(rule, rule.example)
    devices = found.devices if found is not None else ()
    if len(devices) != len(rule.gives):
        yield "gives", f"expected the {len(devices)} devices that the rule reads off the example, got {len(rule.gives)}"
        return
    names = set(field_names(Device))
    for number, (device, wanted) in enumerate(zip(devices, rule.gives, strict=True)):
        for field, value in wanted.items():
            if field not in names:
                yield f"gives[{number}].{field}", f"expected a fact of a device{_near(field, names)}"
            elif getattr(device, field) != value:
                there = getattr(device, field)
                yield (
                    f"gives[{number}].{field}",
                    f"expected {there!r}, which the rule reads off the example, got {value!r}",
                )


def _near(word: str, known: Any) -> str:
    near = get_close_matches(word, [str(one) for one in known], 1, 0.6)
    return f" (did you mean {near[0]}?)" if near else ""
