"""What is known about a check, a fault code or an error message."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from accel.checks.engine import diagnose
from accel.collect.text import read_texts
from accel.contract.check import Check
from accel.infer.engine import infer
from accel.plugins.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One answer. source: where the knowledge comes from."""

    title: str
    text: str
    commands: tuple[str, ...] = ()
    source: str | None = None


def explain(what: str, registry: Registry) -> tuple[Explanation, ...]:
    """Return what is known, the most exact first; () if nothing is."""
    exact = (*_checks(what, registry), *_fault_codes(what, registry))
    if exact:
        return exact
    return tuple(_message(what, registry)) or tuple(_near_checks(what, registry))


def _checks(what: str, registry: Registry) -> Iterator[Explanation]:
    wanted = what.strip().lower()
    for check in registry.checks:
        if wanted in (check.code.lower(), check.name, check.family or ""):
            yield of_check(check)


def of_check(check: Check) -> Explanation:
    """Return a check's page as text."""
    return Explanation(
        title=f"{check.code} {check.name} ({check.severity}, layer {check.layer})",
        text=inspect.cleandoc(check.run.__doc__ or "It has no page."),
    )


def _near_checks(what: str, registry: Registry) -> Iterator[Explanation]:
    by_name = {check.name: check for check in registry.checks}
    for name in get_close_matches(what.strip().lower(), by_name, 1, 0.75):
        yield of_check(by_name[name])


def _fault_codes(what: str, registry: Registry) -> Iterator[Explanation]:
    match = re.fullmatch(
        r"\s*(?:(?P<table>[A-Za-z][\w -]{0,60}?)\s{0,9}(?:[:#]\s*)?)?(?P<code>\d{1,6}|0x[0-9A-Fa-f]+)\s*", what
    )
    if match is None:
        return
    for table in registry.specs.fault_tables():
        if match["table"] and match["table"].lower() != table["name"].lower():
            continue
        for row in table["codes"]:
            if str(row["code"]).lower() == match["code"].lower():
                yield _of_fault(table, row)


def _of_fault(table: dict[str, Any], row: dict[str, Any]) -> Explanation:
    said = [str(row["meaning"]).strip()]
    if row.get("cause"):
        said.append(f"Usual cause: {row['cause']}")
    if row.get("action"):
        said.append(f"What to do: {row['action']}")
    return Explanation(title=f"{table['name']} {row['code']}", text="\n".join(said), source=row.get("source"))


def _message(what: str, registry: Registry) -> Iterator[Explanation]:
    snapshot = read_texts([("the message", what)], registry)
    for finding in diagnose(snapshot, registry.specs, registry.checks, registry.rules).findings:
        commands = tuple(r.command for r in finding.remedies if r.command)
        advice = "\n".join(f"What to do: {r.text}" for r in finding.remedies)
        text = "\n".join(part for part in (finding.detail or "", advice) if part)
        yield Explanation(title=f"{finding.title} [{finding.code} {finding.name}]", text=text, commands=commands)
    known = registry.specs.inference["facts"]
    facts, _ = infer(snapshot, registry.specs, registry.rules)
    for name in dict.fromkeys(fact.name for fact in facts if fact.name in known):
        yield Explanation(title=name, text=known[name]["means"], source=known[name]["topic"])
