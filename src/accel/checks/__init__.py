"""Checks that belong to no vendor: those of this folder's files, and of table rows that name no plugin."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module

from accel.vendors.contract.check import Check


def own_rows(plugin: str | None) -> Iterator[Check]:
    """Yield the checks in accel's own tables that belong to a plugin; None for the core's."""
    from accel.checks.rows import row_check, rows_of
    from accel.specs import load

    specs = load(environment={})
    for kind in ("/inference/", "/checks/"):
        yield from (row_check(row, topic) for topic, row in rows_of(specs.tables("", kind), plugin))


@cache
def core_checks() -> tuple[Check, ...]:
    """Return the checks of this folder and of accel's own tables, sorted by code."""
    from pkgutil import iter_modules  # imports `inspect`; not reached when the catalogue is used

    found = list(own_rows(None))
    for module in iter_modules(__path__):
        found += [v for v in vars(import_module(f"{__name__}.{module.name}")).values() if isinstance(v, Check)]
    return tuple(sorted(found, key=lambda check: check.code))
