"""The rules of every module here, ordered by level: those that it defines, or those in its RULES."""

import importlib
import pkgutil
from functools import cache

from accel.kit.requirement import LEVELS, Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule, lowest level first."""
    found = [rule for info in pkgutil.iter_modules(__path__) for rule in _of(info.name)]
    return tuple(sorted(found, key=lambda rule: LEVELS.index(rule.level)))


def _of(name: str) -> tuple[Rule, ...]:
    module = vars(importlib.import_module(f"{__name__}.{name}"))
    return tuple(module.get("RULES") or (one for one in module.values() if isinstance(one, Rule)))
