"""Mistakes in the conditions of specs/restrictions/: a word or a name that the evaluation does not know."""

from collections.abc import Iterator
from typing import Any, Final

_OPERATORS: Final = {"at_least", "above", "at_most", "below", "is"}
_PLAIN: Final = {"for_data_centres", "available"}  # quantities that are not numbers
WHEN: Final = (
    "vendor", "capability", "capability_below", "capability_from", "capability_except", "architectures",
    "architectures_except", "segments", "targets", "targets_except", "dies", "dies_except", "names", "names_except",
    "partitionable", "system", "toolkit_from", "toolkit_below", "driver_above", "partitioned", "framework",
    "framework_from",
)  # fmt: skip


def mistakes(name: str, table: dict[str, Any], destinations: Any) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Yield (place, what was expected, what was found, the allowed words) for the conditions of a well-formed table."""
    if name == "restrictions/technical":
        for number, record in enumerate(table["limits"]):
            for key in record["when"]:
                if key not in WHEN:
                    yield f"limits[{number}] ({record['name']}).when", "a known key", key, WHEN
        return
    quantities = {*(record["name"] for record in table.get("quantities") or ()), *_PLAIN}
    scopes = tuple((destinations or {}).get("scopes") or ())
    for number, rule in enumerate(table["rules"]):
        place = f"rules[{number}] ({rule['name']})"
        if rule["scope"] not in scopes:
            yield f"{place}.scope", "a scope of restrictions/destinations.yaml", str(rule["scope"]), scopes
        if not (rule.get("applies_until") or rule.get("known_until")):
            yield f"{place}.known_until", "a day or month, as the rule has no last day", "none", ()
        for key in ("of", "excluded"):
            if rule.get(key):
                yield from _of_condition(f"{place}.{key}", rule[key], quantities)
        for position, item in enumerate(rule["classes"]):
            for key in ("class", "when", "means"):
                if key not in item:
                    yield f"{place}.classes[{position}]", f"a value for {key}", "none", ()
            for key in ("when", "exception_when"):
                if item.get(key):
                    yield from _of_condition(f"{place}.classes[{position}].{key}", item[key], quantities)


def _of_condition(place: str, condition: Any, quantities: set[str]) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    if not isinstance(condition, dict):
        yield place, "a condition", repr(condition), ()
        return
    for word in ("all", "any"):
        for number, part in enumerate(condition.get(word) or ()):
            yield from _of_condition(f"{place}.{word}[{number}]", part, quantities)
    for word in ("not", "roughly"):
        if word in condition:
            yield from _of_condition(f"{place}.{word}", condition[word], quantities)
    if set(condition) & {"all", "any", "not", "roughly", "class", "named"}:
        return
    if condition.get("quantity") not in quantities:
        yield f"{place}.quantity", "a known quantity", str(condition.get("quantity")), tuple(sorted(quantities))
    others = [key for key in condition if key != "quantity"]
    if len(others) != 1 or others[0] not in _OPERATORS:
        yield place, "one of at_least, above, at_most, below, is", ", ".join(others) or "none", tuple(_OPERATORS)
