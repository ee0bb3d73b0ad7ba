"""Restrictions as JSON: infinite bounds are null, which means "unknown"."""

from collections.abc import Sequence

from accel.apps.render.json import dumps
from accel.model.to_builtins import plain
from accel.specs.export_rules.evaluate import NOTICE
from accel.specs.export_rules.restrictions import SCHEMA, Restrictions


def restrictions_json(found: Sequence[Restrictions], date: str) -> str:
    """Return the output of `accel restrictions --json`."""
    return dumps(SCHEMA, date=date, notice=NOTICE, results=plain(found))
