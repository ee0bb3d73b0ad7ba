"""Rules of inference that need code and are no vendor's. A module here with a Rule in it is used by existing."""

from functools import cache
from importlib import import_module

from accel.vendors.contract.rule import Rule


@cache
def core_rules() -> tuple[Rule, ...]:
    """Return the rules of this folder, by file name."""
    from pkgutil import iter_modules  # brings `inspect`; with the catalogue nobody comes here

    found: list[Rule] = []
    for module in sorted(iter_modules(__path__), key=lambda m: m.name):
        members = vars(import_module(f"{__name__}.{module.name}")).values()
        found += [member for member in members if isinstance(member, Rule)]
    return tuple(found)
