"""The checks of Intel GPUs, one fault per file. A Check in a module of this folder is registered by existing."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from accel.contract.check import Check


@cache
def intel_checks() -> tuple[Check, ...]:
    """Return every check of this folder, by code."""
    found: dict[str, Check] = {}
    for module in iter_modules(__path__):
        if module.name.startswith("in"):
            for value in vars(import_module(f"{__name__}.{module.name}")).values():
                if isinstance(value, Check):
                    found[value.code] = value
    return tuple(found[code] for code in sorted(found))
