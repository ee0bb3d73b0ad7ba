"""Every case of checks/<check name>.yaml: what the whole engine makes of a pasted text for that check.

<case>:
  text: |
  finds: words of the title    or    clear: true    or    undecided: words of the fact wanted    or    skipped: true
"""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_amd.checks import amd_checks

from accel.checks.engine import diagnose
from accel.collect.text import read_texts
from accel.contract.check import Check
from accel.model.snapshot import Snapshot
from accel.plugins.registry import Registry

FOLDER = Path(__file__).parent / "checks"
HEADINGS = ("Why it matters", "What to do", "Looks at", "Silent when", "Source")


@cache
def registry() -> Registry:
    return Registry({})


def cases() -> list[Any]:
    return [
        pytest.param(path.stem, case, id=f"{path.stem}:{name}")
        for path in sorted(FOLDER.glob("*.yaml"))
        for name, case in yaml.safe_load(path.read_text(encoding="utf-8")).items()
    ]


@pytest.mark.parametrize(("name", "case"), cases())
def test_a_case_ends_as_it_says(name: str, case: dict[str, Any]) -> None:
    snapshot = read_texts([("report", case["text"])], registry())
    diagnosis = diagnose(snapshot, registry().specs, registry().checks)
    assert not [gap for gap in diagnosis.gaps if "the check broke" in gap.reason]
    findings = [f for f in diagnosis.findings if f.name == name]
    if "finds" in case:
        assert any(case["finds"] in f.title for f in findings), [f.title for f in diagnosis.findings]
        assert all(f.evidence and f.remedies for f in findings)
        commands = [r.command or "" for f in findings for r in f.remedies]
        assert any(case.get("types", "") in command for command in commands)
        assert not any(command.startswith(case.get("never_types", "\0")) for command in commands)
    elif "undecided" in case:
        assert any(case["undecided"] in u.wants[0] for u in diagnosis.undecided if u.name == name)
    elif "skipped" in case:
        assert name in [s.name for s in diagnosis.not_applicable]
    else:
        assert case["clear"] is True
        assert not findings
        assert name not in [u.name for u in diagnosis.undecided]


@pytest.mark.parametrize("check", amd_checks(), ids=lambda c: c.name)
def test_a_check_has_its_page_and_its_cases(check: Check) -> None:
    page = check.run.__doc__ or ""
    assert [heading for heading in HEADINGS if heading not in page] == []
    path = FOLDER / f"{check.name}.yaml"
    kinds = {key for case in yaml.safe_load(path.read_text(encoding="utf-8")).values() for key in case}
    assert "finds" in kinds
    assert kinds & {"clear", "skipped"}


def test_a_machine_without_amd_is_no_fault() -> None:
    diagnosis = diagnose(Snapshot(), registry().specs, amd_checks())
    assert not diagnosis.findings
    assert not diagnosis.undecided
