"""Restrictions as JSON: bounds that are infinite are null, which means "not known"."""

from collections.abc import Sequence

from accel.export_rules.evaluate import NOTICE
from accel.export_rules.restrictions import SCHEMA, Restrictions
from accel.model.to_builtins import plain
from accel.render.json import dumps


def restrictions_json(found: Sequence[Restrictions], date: str) -> str:
    """Return the answer of `accel restrictions --json`."""
    return dumps(SCHEMA, date=date, notice=NOTICE, results=plain(found))
