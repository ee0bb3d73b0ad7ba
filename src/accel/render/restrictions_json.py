"""Restrictions as JSON: bounds that are infinite are null, which means "not known"."""

from collections.abc import Sequence
from typing import Any

from accel.export_rules.evaluate import NOTICE
from accel.export_rules.restrictions import SCHEMA, Restrictions
from accel.export_rules.three_valued import INFINITE
from accel.model.to_builtins import plain
from accel.render.json import dumps


def restrictions_json(found: Sequence[Restrictions], date: str) -> str:
    """Return the answer of `accel restrictions --json`."""
    return dumps(SCHEMA, date=date, notice=NOTICE, results=[_finite(plain(item)) for item in found])


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if value == INFINITE else value
