"""The core's checks on small texts: see the YAML files beside this module, one for each check."""

import inspect
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from accel.checks import core_checks
from accel.checks.engine import diagnose
from accel.collect.text import read_texts
from accel.model.device import Device, Gap
from accel.model.diagnosis import Diagnosis
from accel.model.report import Report
from accel.model.snapshot import Host, Snapshot
from accel.plugins.registry import Registry

FOLDER = Path(__file__).parent
OLDER = {check.name: check for check in core_checks() if check.needs is None}  # the others: tests/test_check_cases.py
CASES = [
    pytest.param(path.stem, case, id=f"{path.stem}:{name}")
    for path in sorted(FOLDER.glob("*.yaml"))
    if path.stem in OLDER
    for name, case in yaml.safe_load(path.read_text(encoding="utf-8")).items()
]


@cache
def registry() -> Registry:
    return Registry({})


def judged(case: dict[str, Any]) -> Diagnosis:
    """Judge a case's text, or the machine that `live` describes: a container, a number of GPUs, a hung call."""
    if "live" in case:
        gpus = tuple(
            Device(id=f"acme:{index}", index=index, backend="acme", vendor="Acme", kind="gpu")
            for index in range(case["live"].get("devices", 0))
        )
        hung = case["live"].get("hung")
        gaps = (Gap(backend="acme", source="probe", **hung),) if hung else ()
        host = Host(containerized=case["live"].get("containerized"))
        snapshot = Snapshot(host=host, reports=(Report(backend="acme", source="case", devices=gpus, gaps=gaps),))
    else:
        snapshot = read_texts([("report", case["text"])], registry())
    return diagnose(snapshot, registry().specs, registry().checks)


@pytest.mark.parametrize(("name", "case"), CASES)
def test_a_case_ends_as_it_says(name: str, case: dict[str, Any]) -> None:
    diagnosis = judged(case)
    found = [f for f in diagnosis.findings if f.name == name]
    if "finds" in case:
        assert found, diagnosis.undecided
        assert case["finds"] in found[0].title
        assert found[0].severity == case.get("severity", "error")
        assert found[0].is_cause is case.get("cause", found[0].severity != "info")
        assert case.get("command", "") in " ".join(r.command or "" for r in found[0].remedies)
        return
    assert not found, found[0].title
    if "undecided" in case:
        wants = [want for u in diagnosis.undecided if u.name == name for want in u.wants]
        assert any(case["undecided"] in want for want in wants), diagnosis.undecided
    elif "not_applicable" in case:
        reasons = [s.reason for s in diagnosis.not_applicable if s.name == name]
        assert any(case["not_applicable"] in reason for reason in reasons), diagnosis.not_applicable
    else:
        assert case["clear"] is True
        assert name in {c.name for c in diagnosis.clear}


@pytest.mark.parametrize("check", OLDER.values(), ids=lambda check: check.name)
def test_every_check_has_a_found_and_a_clear_case_and_its_headings(check: Any) -> None:
    cases = yaml.safe_load((FOLDER / f"{check.name}.yaml").read_text(encoding="utf-8")).values()
    assert any("finds" in case for case in cases)
    assert any("clear" in case or "not_applicable" in case for case in cases)
    for heading in ("Why it matters", "What to do", "Looks at", "Silent when", "Source"):
        assert f"\n{heading}" in inspect.cleandoc(check.run.__doc__ or "")
