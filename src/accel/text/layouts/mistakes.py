"""Validate a rule, and report what is wrong as sentences. A rule is valid if it reads its own example correctly."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, Final

from accel.model.dataclass import field_names
from accel.model.device import Device
from accel.text.layouts.column import FIELDS, Fact, Form, fact_of, own_fields
from accel.text.layouts.drawn import NO_PROCESSES, PARTS, spelt_out
from accel.text.layouts.layout import DRIVER_FIELDS, LAYOUTS, ReaderRule, read, reader_rule
from accel.text.layouts.quantity import UNITS

_HEALTH = ("ok", "warning", "critical", "unknown")
_MEASURES = frozenset(UNITS.values())
_FORM: Final = ("from", *(name for name in Form.__dataclass_fields__ if name != "source"))


def rule_mistakes(
    stated: dict[str, Any], table: dict[str, Any], record: type[Device] = Device
) -> Iterator[tuple[str, str]]:
    """Yield (field, what was expected and what is there). record: the class of the vendor's devices."""
    layouts = [layout for layout in LAYOUTS if layout in stated]
    if len(layouts) != 1:
        yield "", f"expected one of {', '.join(LAYOUTS)}, got {' and '.join(layouts) or 'none of them'}"
        return
    found = [*_of_facts(stated, record), *_of_form(layouts[0], stated, record), *_of_driver(stated.get("driver") or {})]
    yield from found
    if not found:
        yield from _of_example(reader_rule(stated, table, record))


def _of_form(layout: str, stated: dict[str, Any], record: type[Device]) -> Iterator[tuple[str, str]]:
    form = stated[layout]
    wanted, held = {
        "csv": ("true", bool),
        "json": ('a path like "devices"', str),
        "table": (f"a mapping with {', '.join(PARTS)} and columns", dict),
    }.get(layout, ("a regular expression", str))
    if not isinstance(form, held):
        yield layout, f"expected {wanted}, got {form!r}"
        return
    groups: set[str] = set()
    forms = _forms(layout, form)
    for place, one in [*forms, *((f"ours.{name}", told) for name, told in (stated.get("ours") or {}).items())]:
        try:
            groups |= set(re.compile(one).groupindex)
        except (re.error, TypeError) as error:
            yield place, f"expected a regular expression: {error}"
            return
        yield from ((place, mistake) for mistake in _of_time(one))
    if layout in ("rows", "table"):
        facts = [fact_of(field, fact, record) for field, fact in stated["facts"].items() if _is_stated(fact)]
        for fact in facts:
            for name in fact.names:
                if name and name not in groups:
                    yield (
                        f"facts.{fact.field}",
                        f"expected a group of the expression, got {name!r}{_near(name, groups)}",
                    )


def _forms(layout: str, form: Any) -> list[tuple[str, Any]]:
    if layout in ("csv", "json"):
        return []
    if layout != "table":
        return [(layout, form)]
    parts = [(f"table.{part}", form.get(part, NO_PROCESSES if part == "process" else None)) for part in PARTS]
    cells = [(f"table.columns.{name}", spelt_out(told)) for name, told in (form.get("columns") or {}).items()]
    return [*parts, *cells]


def _of_facts(stated: dict[str, Any], record: type[Device]) -> Iterator[tuple[str, str]]:
    known = (*FIELDS, *sorted(own_fields(record)))
    for field, fact in stated["facts"].items():
        place = f"facts.{field}"
        parts = [part for part in (fact if isinstance(fact, list) else [fact]) if isinstance(part, dict)]
        if field not in known:
            yield place, f"expected a fact of a device, got {field!r}{_near(field, known)}"
        elif unknown := sorted({name for part in parts for name in part} - set(_FORM)):
            yield place, f"expected from, unit and values, got {', '.join(unknown)}{_near(unknown[0], _FORM)}"
        elif not _is_stated(fact):
            yield place, f"expected a name or a mapping with from, got {fact!r}"
        else:
            yield from ((place, mistake) for mistake in _of_fact(fact_of(field, fact, record)))


def _is_stated(fact: Any) -> bool:
    """Return whether a fact is a name, a mapping that says where to look, or a list of these."""
    if isinstance(fact, list):
        return bool(fact) and all(_is_stated(part) for part in fact if not isinstance(part, list))
    if isinstance(fact, dict):
        source = fact.get("from", "")
        named = isinstance(source, str) or (isinstance(source, list) and all(isinstance(one, str) for one in source))
        return named and bool({"from", "sum_of"} & set(fact)) and set(fact) <= set(_FORM)
    return isinstance(fact, str)


def _of_fact(fact: Fact) -> Iterator[str]:
    units = [unit for unit, kind in UNITS.items() if kind == fact.kind]
    for form in fact.forms:
        if fact.kind in _MEASURES and form.unit not in units:
            yield f"expected unit, one of {', '.join(units)}, got {form.unit!r}{_near(str(form.unit), units)}"
        if fact.kind not in _MEASURES and form.unit is not None:
            yield f"expected no unit: it is a text or a count, got {form.unit!r}"
        if fact.field == "health" and form.critical_above is None:
            values = form.values or {"": None}
            if any(value not in _HEALTH for value in values.values()):
                yield f"expected values, each printed word as one of {', '.join(_HEALTH)}, got {form.values!r}"
        for name, told in (("match", form.match), ("sum_of", form.sum_of)):
            try:
                re.compile(told or "")
            except re.error as error:
                yield f"expected a regular expression for {name}: {error}"
            else:
                yield from _of_time(told or "")


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
    """Yield what is wrong with an expression that can take far more than linear time on some text."""
    from accel.text.backtracking import faults

    for fault in faults(form, re.MULTILINE | re.IGNORECASE):
        yield f"expected an expression whose time grows with the length of the text alone; this one is {fault}"


def _of_example(rule: ReaderRule) -> Iterator[tuple[str, str]]:
    if not any(sign in rule.example for sign in rule.signs):
        yield "signs", f"expected one of them in the example, got {', '.join(map(repr, rule.signs)) or 'none'}"
    devices = [device for found in read(rule, rule.example) for device in found.devices]
    if len(devices) != len(rule.gives):
        yield "gives", f"expected the {len(devices)} devices that the rule reads off the example, got {len(rule.gives)}"
        return
    names = set(field_names(rule.record))
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
