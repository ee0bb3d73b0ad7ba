"""Mistakes in the tables in specs/models/: references that other rows do not define, and duplicates."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

_ROLES: Final = ("value", "value_of_groups", "down", "output", "experts")


def model_mistakes(name: str, table: Mapping[str, Any]) -> Iterator[str]:
    """Yield references in a table of models that its other rows do not define, and duplicates."""
    for key in ("families", "formats", "mixtures", "optimizers"):
        yield from _twice(key, table.get(key) or ())
    if name == "models/formats":
        known = {word for row in table.get("formats") or () for word in row["of"]}
        for number_, row in enumerate(table.get("mixtures") or ()):
            for role in ("base", "head", *_ROLES):
                for word in str(row.get(role) or "").rpartition(" ")[2].split("/"):
                    if word and word not in known:
                        yield f"mixtures[{number_}].{role}: expected one of the formats, got {word!r}"
        for kind, word in (table.get("ggml_types") or {}).items():
            if not str(kind).isdecimal() or word not in known:
                yield f"ggml_types: expected a number and one of the formats, got {kind!r}: {word!r}"
    elif name == "models/families" and not isinstance(table.get("fields"), dict):
        yield "fields: expected names of sizes with the fields of configs that state them"
    elif name == "models/defaults":
        yield from _of_defaults(table.get("defaults"))
    elif name == "models/training":
        for number_, row in enumerate(table.get("overheads") or ()):
            if not row["low"] <= row["bytes"] <= row["high"]:
                yield f"overheads[{number_}].bytes: expected a figure from low to high, got {row['bytes']}"
        zero = table.get("zero")
        if not isinstance(zero, dict) or {"bucket_parameters", "live_parameters"} - set(zero):
            yield "zero: expected bucket_parameters and live_parameters"


def _of_defaults(rows: Any) -> Iterator[str]:
    if not isinstance(rows, dict):
        yield "defaults: expected a mapping of model types"
        return
    for kind, row in rows.items():
        for field, value in row.items() if isinstance(row, dict) else (("", row),):
            if not field or not isinstance(value, (bool, int, float, str, list)):
                yield f"defaults.{kind}.{field}: expected a size, a switch or a name, got {value!r}"


def _twice(key: str, rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for number_, row in enumerate(rows):
        for word in row["of"]:
            if word in seen and seen[word] != number_:
                yield f"{key}[{number_}].of: {word!r} is in row {seen[word]} as well"
            seen.setdefault(word, number_)
