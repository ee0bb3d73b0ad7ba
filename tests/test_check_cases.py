"""Every check: its page, its cases, what it says on them, word for word, and how it stands to the others.

The cases of a check lie beside its plugin's tests: see tests/judged/check_cases.py and tests/judged/goldens.py.
"""

from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from check_cases import faults, page_faults
from every_case import by_check, registry
from goldens import golden_difference

from accel.diagnose.engine import diagnose
from accel.model.snapshot import Snapshot
from accel.specs.store import parse
from accel.vendors.contract.check import Check

HERE = Path(__file__).parent
CHECKS = {check.name: check for check in registry().checks}


@pytest.mark.parametrize("check", CHECKS.values(), ids=lambda check: check.name)
def test_a_check_has_its_page_and_its_cases_end_as_they_say_in_the_words_that_are_kept(check: Check) -> None:
    assert check.name in by_check(), f"no folder of cases holds {check.name}.yaml"
    cases = by_check()[check.name]
    folder = cases[0].folder
    told = {case.name: faults(check.name, case.given, registry(), case.diagnosis) for case in cases}
    kept = golden_difference(folder, check.name, registry(), {case.name: case.diagnosis for case in cases})
    assert page_faults(check, folder) == []
    assert {name: wrong for name, wrong in told.items() if wrong} == {}
    assert kept == ""


def test_a_check_that_reads_facts_states_what_it_must_know_to_be_clear() -> None:
    """Or it is written down why nothing could tell it: tests/outcomes_not_proven.yaml."""
    kept = parse(str(HERE / "outcomes_not_proven.yaml"))["checks"]
    assert [check.name for check in CHECKS.values() if check.reads and not check.needs and check.name not in kept] == []


def test_what_a_check_is_explained_by_exists() -> None:
    known = {name for check in CHECKS.values() for name in (check.name, check.family)}
    symptoms = registry().specs.table("system/symptoms")["symptoms"]
    named = {n for one in CHECKS.values() for n in (*one.requires, *one.explained_by, *one.explains)}
    listed = {
        n for symptom in symptoms for n in (*symptom["findings"], *symptom["reasons"], *symptom.get("families", ()))
    }
    assert CHECKS
    assert named - known == {symptom["name"] for symptom in symptoms if symptom["name"] in named}
    assert listed - known == set()


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
