"""The schema of the records in specs/, from specs/schema.yaml: fields, allowed values, and which are required."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from accel.specs.kinds import COMPUTED, Kind, kind_of
from accel.specs.store import bundled

Fields = Mapping[str, Kind]


@cache
def _schema() -> Mapping[str, Any]:
    table: Mapping[str, Any] = bundled().table("schema")
    return table


@cache
def kind(name: str) -> Kind:
    """Return a named kind of values."""
    return COMPUTED[name] if name in COMPUTED else kind_of(_schema()["kinds"][name], kind)


@cache
def fields_of(record: str) -> Fields:
    """Return the fields of a record, with those of the records that it extends."""
    told = _schema()["records"][record]
    extended = {name: one for other in told.get("extends", ()) for name, one in fields_of(other).items()}
    return {**extended, **{name: kind_of(one, kind) for name, one in told["fields"].items()}}


def part(record: str) -> tuple[Fields, Sequence[str]]:
    """Return the fields of a record within another, and those that must be there."""
    return fields_of(record), _schema()["records"][record].get("needs", ())


def lists_of(table: str) -> Mapping[str, tuple[Fields, Sequence[str]]]:
    """Return the lists in a table, by its name: fields of their records, and those that must be there."""
    rows = (row["lists"] for row in _schema()["tables"] if re.fullmatch(row["of"], table))
    return {name: (fields_of(one["record"]), one["needs"]) for name, one in next(rows, {}).items()}


def heads_of(table: str) -> Sequence[str]:
    """Return what a table says at its top, as text, by its name."""
    return next((row["keys"] for row in _schema()["heads"] if re.fullmatch(row["of"], table)), ())
