"""Rules of inference of Ascend machines that need code. A Rule in a module of this folder is registered by existing."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from accel.contract.rule import Rule


@cache
def ascend_rules() -> tuple[Rule, ...]:
    """Return the rules of this folder, by file name."""
    found: list[Rule] = []
    for module in sorted(iter_modules(__path__), key=lambda m: m.name):
        members = vars(import_module(f"{__name__}.{module.name}")).values()
        found += [member for member in members if isinstance(member, Rule)]
    return tuple(found)
