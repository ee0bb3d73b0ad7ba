"""Every check: its page, its cases, what it says on them, word for word, and how it stands to the others.

The cases of a check lie beside its plugin's tests: see accel.conformance.check_cases and accel.conformance.goldens.
"""

from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pytest
import yaml

from accel.checks.engine import diagnose
from accel.conformance.check_cases import check_cases, faults, page_faults
from accel.conformance.goldens import golden_difference
from accel.contract.check import Check
from accel.model.snapshot import Snapshot
from accel.plugins.registry import Registry

HERE = Path(__file__).parent
FOLDERS = [HERE / "checks", *sorted((HERE.parent / "plugins").glob("*/tests/*checks"))]


@cache
def registry() -> Registry:
    return Registry({})


CHECKS = {check.name: check for check in registry().checks}
FOLDER_OF = {path.stem: folder for folder in FOLDERS for path in folder.glob("*.yaml")}


@pytest.mark.parametrize("check", CHECKS.values(), ids=lambda check: check.name)
def test_a_check_has_its_page_and_its_cases(check: Check) -> None:
    assert check.name in FOLDER_OF, f"no folder of cases holds {check.name}.yaml"
    assert page_faults(check, FOLDER_OF[check.name]) == []


@pytest.mark.parametrize(
    ("check", "case"),
    [pytest.param(c, case, id=f"{c}:{n}") for f in FOLDERS for c, n, case in check_cases(f) if c in CHECKS],
)
def test_a_case_ends_as_it_says(check: str, case: dict[str, Any]) -> None:
    assert faults(check, case, registry()) == []


@pytest.mark.parametrize("check", sorted(CHECKS))
def test_a_check_says_what_is_kept(check: str) -> None:
    assert golden_difference(FOLDER_OF[check], check, registry()) == ""


def test_a_check_that_reads_facts_states_what_it_must_know_to_be_clear() -> None:
    """Or it is written down why nothing could tell it: tests/outcomes_not_proven.yaml."""
    kept = yaml.safe_load((HERE / "outcomes_not_proven.yaml").read_text(encoding="utf-8"))["checks"]
    assert [check.name for check in CHECKS.values() if check.reads and not check.needs and check.name not in kept] == []


def test_what_a_check_is_explained_by_exists() -> None:
    known = {name for check in CHECKS.values() for name in (check.name, check.family)}
    named = {name for check in CHECKS.values() for name in (*check.requires, *check.explained_by)}
    assert CHECKS
    assert named - known == set()


def test_premises_do_not_go_in_a_circle() -> None:
    checks = list(CHECKS.values())
    by_name = {name: [c.name for c in checks if name in (c.name, c.family)] for c in checks for name in c.requires}
    graph = {c.name: {p for name in c.requires for p in by_name[name] if p != c.name} for c in checks}
    assert len(list(TopologicalSorter(graph).static_order())) == len(checks)


def test_nothing_known_is_no_fault_and_nothing_is_clear() -> None:
    diagnosis = diagnose(Snapshot(origin="a text"), registry().specs, registry().checks, registry().rules)
    assert diagnosis.verdict == "undecided"
    assert not diagnosis.findings
    assert not diagnosis.clear
