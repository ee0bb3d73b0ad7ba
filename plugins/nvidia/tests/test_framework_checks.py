"""NVIDIA's checks of frameworks on small texts: see the YAML files in framework_checks, one for each check."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_nvidia.checks import nvidia_checks

from accel.checks.engine import diagnose
from accel.collect.text import read_texts
from accel.conformance.check_cases import check_cases, faults, page_faults
from accel.contract.check import Check
from accel.plugins.registry import Registry

FOLDER = Path(__file__).parent / "framework_checks"
MINE = [c for c in nvidia_checks() if "NV050" <= c.code <= "NV069" and c.needs is None]


@cache
def registry() -> Registry:
    return Registry({})


@pytest.mark.parametrize(
    ("check", "case"),
    [pytest.param(c, case, id=f"{c}:{name}") for c, name, case in check_cases(FOLDER) if c in {m.name for m in MINE}],
)
def test_a_case_ends_as_it_says(check: str, case: dict[str, Any]) -> None:
    assert faults(check, case, registry()) == []


@pytest.mark.parametrize("check", MINE, ids=lambda check: check.name)
def test_a_check_has_its_page_and_its_cases(check: Check) -> None:
    assert page_faults(check, FOLDER) == []


@pytest.mark.parametrize(
    "text",
    yaml.safe_load((FOLDER.parent / "healthy_texts.yaml").read_text(encoding="utf-8")).items(),
    ids=lambda item: item[0],
)
def test_a_healthy_environment_raises_no_alarm(text: tuple[str, str]) -> None:
    snapshot = read_texts([("report", text[1])], registry())
    findings = diagnose(snapshot, registry().specs, registry().checks, registry().rules).findings
    assert [f.title for f in findings if f.severity != "info"] == []
