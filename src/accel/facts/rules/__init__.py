"""Inference rules that need code and belong to no vendor. Each Rule in this folder is registered."""

from functools import cache
from importlib import import_module

from accel.vendors.contract.rule import Rule


@cache
def core_rules() -> tuple[Rule, ...]:
    """Return the rules of this folder, by file name."""
    from pkgutil import iter_modules  # imports `inspect`; not needed with the catalogue

    found: list[Rule] = []
    for module in sorted(iter_modules(__path__), key=lambda m: m.name):
        members = vars(import_module(f"{__name__}.{module.name}")).values()
        found += [member for member in members if isinstance(member, Rule)]
    return tuple(found)
