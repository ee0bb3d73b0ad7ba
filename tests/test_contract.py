"""Severities, families and who acts first are those that were agreed on, in every case of every check that is named."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from accel.checks.engine import diagnose
from accel.conformance.check_cases import check_cases, snapshot_of
from accel.model.diagnosis import Finding
from accel.plugins.registry import Registry

HERE = Path(__file__).parent
AGREED: dict[str, dict[str, Any]] = {
    row["name"]: row for row in yaml.safe_load((HERE / "contract.yaml").read_text(encoding="utf-8"))["findings"]
}
FOLDERS = [HERE / "checks", *sorted((HERE.parent / "plugins").glob("*/tests/*checks"))]


@cache
def registry() -> Registry:
    return Registry({})


@cache
def found() -> dict[str, list[tuple[str, Finding]]]:
    """Return, by the check's name, (case, the finding that it is about) of every case that is found."""
    findings: dict[str, list[tuple[str, Finding]]] = {}
    for folder in FOLDERS:
        for name, case, finding in _of(folder):
            findings.setdefault(name, []).append((case, finding))
    return findings


def _of(folder: Path) -> Iterator[tuple[str, str, Finding]]:
    known = registry()
    for name, case, stated in check_cases(folder):
        if name not in AGREED or "finds" not in stated or isinstance(stated.get("live"), dict):
            continue
        told = diagnose(snapshot_of(stated, known), known.specs, known.checks, known.rules).findings
        fitting = (f for f in told if f.name == name and stated["finds"].lower() in f.title.lower())
        yield from ((name, case, finding) for finding in list(fitting)[:1])


@pytest.mark.parametrize("name", AGREED)
def test_a_finding_is_as_grave_as_agreed(name: str) -> None:
    allowed = {AGREED[name]["severity"], *AGREED[name].get("also_severity", ())}
    assert found().get(name), "no case of it is found"
    assert {case: f.severity for case, f in found()[name] if f.severity not in allowed} == {}
    assert any(f.severity == AGREED[name]["severity"] for _, f in found()[name]), "no case has the agreed severity"


@pytest.mark.parametrize("name", [name for name in AGREED if "none" not in AGREED[name]["actions"]])
def test_who_acts_first_is_as_agreed(name: str) -> None:
    allowed = {*AGREED[name]["actions"], *AGREED[name].get("also_actions", ())}
    first = {case: f.remedies[0].action if f.remedies else None for case, f in found()[name] if f.severity != "info"}
    assert {case: action for case, action in first.items() if action not in allowed} == {}


@pytest.mark.parametrize("name", [name for name in AGREED if "family" in AGREED[name]])
def test_a_finding_counts_under_its_family(name: str) -> None:
    check = next(check for check in registry().checks if check.name == name)
    assert check.family == AGREED[name]["family"]


def test_the_agreement_states_no_exception_that_nothing_needs() -> None:
    unused = []
    for name, row in AGREED.items():
        severities = {f.severity for _, f in found()[name]}
        actions = {f.remedies[0].action for _, f in found()[name] if f.remedies}
        unused += [(name, one) for one in row.get("also_severity", ()) if one not in severities]
        unused += [(name, one) for one in row.get("also_actions", ()) if one not in actions]
    assert unused == []
