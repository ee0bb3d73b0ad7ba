"""Checks that belong to no vendor. A file of this folder with Checks in it is registered by existing."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from accel.contract.check import Check


@cache
def core_checks() -> tuple[Check, ...]:
    """Return the checks of this folder, by code."""
    found = []
    for module in iter_modules(__path__):
        found += [v for v in vars(import_module(f"{__name__}.{module.name}")).values() if isinstance(v, Check)]
    return tuple(sorted(found, key=lambda check: check.code))
