"""Every check that states its `needs`: its page, its cases, and what it says on them, word for word.

The cases of a check lie beside its plugin's tests: see accel.conformance.check_cases and accel.conformance.goldens.
"""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from accel.conformance.check_cases import check_cases, faults, page_faults
from accel.conformance.goldens import golden_difference
from accel.contract.check import Check
from accel.plugins.registry import Registry

HERE = Path(__file__).parent
FOLDERS = [HERE / "checks", *sorted((HERE.parent / "plugins").glob("*/tests/*checks"))]


@cache
def registry() -> Registry:
    return Registry({})


CHECKS = {check.name: check for check in registry().checks if check.needs is not None}
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
