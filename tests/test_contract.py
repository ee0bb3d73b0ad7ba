"""Severities, families and who acts first are those that were agreed on, in every case of every check that is named."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from every_case import by_check, registry

from accel.model.diagnosis import Finding
from accel.specs.store import parse

HERE = Path(__file__).parent
AGREED: dict[str, dict[str, Any]] = {row["name"]: row for row in parse(str(HERE / "contract.yaml"))["findings"]}


@cache
def found() -> dict[str, list[tuple[str, Finding]]]:
    """Return, by the check's name, (case, the finding that it is about) of every case that is found."""
    return {name: list(_of(name)) for name in AGREED}


def _of(name: str) -> Iterator[tuple[str, Finding]]:
    for case in by_check()[name]:
        if "finds" not in case.given or isinstance(case.given.get("live"), dict):
            continue
        told = case.diagnosis.findings
        fitting = (f for f in told if f.name == name and case.given["finds"].lower() in f.title.lower())
        yield from ((case.name, finding) for finding in list(fitting)[:1])


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
