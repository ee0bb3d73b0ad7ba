"""Creates the catalogue when accel is built: everything is imported once, and what it registers is recorded."""

import sys
from collections.abc import Iterable
from typing import Any, Final

from accel.checks import core_checks
from accel.checks.rows import Row
from accel.facts.readers import core_readers
from accel.facts.rules import core_rules
from accel.plugins.catalogue import GIVEN
from accel.plugins.discovery import CORE
from accel.plugins.registry import Registry
from accel.vendors.contract.backend import Reader
from accel.vendors.contract.check import Check
from accel.vendors.contract.rule import Rule
from accel.vendors.toolkit.members import given_by

_CHECK_FIELDS: Final = (
    *("code", "name", "layer", "severity", "family", "reads", "needs", "asks", "requires", "explained_by", "explains"),
    *("precludes", "last_resort"),
)


def make(registry: Registry) -> dict[str, Any]:
    """Return the catalogue of a registry of accel's own plugins, with everything imported."""
    told = {CORE: _told("accel", core_readers(), core_checks(), core_rules())}
    backends = registry.backend_names
    for plugin, offer in registry.offers().items():
        told[plugin] = {
            **_told(offer.module, offer.readers, offer.checks, offer.rules),
            "backend": backends.get(plugin),
            "hooks": list(offer.hooks),
        }
    told[CORE]["order"] = [check.code for check in registry.checks]
    return told


def _told(package: str, readers: Iterable[Reader], checks: Iterable[Check], rules: Iterable[Rule]) -> dict[str, Any]:
    places = _places(package)
    places |= {id(check): (check.run.topic, check.name) for check in checks if isinstance(check.run, Row)}
    given = given_by(package)
    named: tuple[Reader | Check | Rule, ...] = (*given.readers, *given.checks, *given.rules)
    for one in named:
        places[id(one)] = (package, GIVEN + one.name)
    return {
        "module": package,
        "readers": [[r.name, tuple(r.signs), *places[id(r)]] for r in readers],
        "checks": [[_fields(check), *places[id(check)]] for check in checks],
        "rules": [[rule.name, dict(rule.gives), tuple(rule.triggers), *places[id(rule)]] for rule in rules],
    }


def _fields(check: Check) -> dict[str, Any]:
    """Return a check's attributes, without those that have their default value."""
    none: dict[str, Any] = dict.fromkeys(("reads", "needs", "requires", "explained_by", "explains", "precludes"), ())
    usual = {"severity": "error", "family": None, "last_resort": False, "asks": None, **none}
    values = {name: getattr(check, name) for name in _CHECK_FIELDS}
    return {name: value for name, value in values.items() if name not in usual or value != usual[name]}


def _places(package: str) -> dict[int, tuple[str, str]]:
    """Return where each reader, check and rule of a package is defined, by its id(): (module, name)."""
    found: dict[int, tuple[str, str]] = {}
    for name, module in sorted(sys.modules.items()):
        if name == package or name.startswith(f"{package}."):
            for attribute, value in vars(module).items():
                if isinstance(value, Reader | Check | Rule):
                    found.setdefault(id(value), (name, attribute))
    return found
