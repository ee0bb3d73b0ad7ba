"""NVIDIA's checks of frameworks on small texts: see the YAML files in framework_checks, one for each check."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_nvidia.checks import nvidia_checks

from accel.diagnose import diagnose
from accel.model.diagnosis import Diagnosis
from accel.offline import read_texts
from accel.registry import Registry

FOLDER = Path(__file__).parent / "framework_checks"
CASES = [
    pytest.param(path.stem, case, id=f"{path.stem}:{name}")
    for path in sorted(FOLDER.glob("*.yaml"))
    for name, case in yaml.safe_load(path.read_text(encoding="utf-8")).items()
]


@cache
def registry() -> Registry:
    return Registry({})


def judged(text: str) -> Diagnosis:
    return diagnose(read_texts([("report", text)], registry()), registry().specs, registry().checks)


@pytest.mark.parametrize(("name", "case"), CASES)
def test_a_case_ends_as_it_says(name: str, case: dict[str, Any]) -> None:
    diagnosis = judged(case["text"])
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
    elif "skipped" in case:
        reasons = [s.reason for s in diagnosis.skipped if s.name == name]
        assert any(case["skipped"] in reason for reason in reasons), diagnosis.skipped
    else:
        assert case["clear"] is True
        assert name in {c.name for c in diagnosis.clear}


@pytest.mark.parametrize(
    "check", [c for c in nvidia_checks() if "NV050" <= c.code <= "NV069"], ids=lambda check: check.name
)
def test_every_check_has_a_found_and_a_clear_case_and_its_headings(check: Any) -> None:
    cases = yaml.safe_load((FOLDER / f"{check.name}.yaml").read_text(encoding="utf-8")).values()
    assert any("finds" in case for case in cases)
    assert any("clear" in case or "skipped" in case for case in cases)
    for heading in ("Why it matters", "What to do", "Looks at", "Silent when", "Source"):
        assert f"    {heading}" in (check.run.__doc__ or "")


@pytest.mark.parametrize(
    "text",
    yaml.safe_load((FOLDER.parent / "healthy_texts.yaml").read_text(encoding="utf-8")).items(),
    ids=lambda item: item[0],
)
def test_a_healthy_environment_raises_no_alarm(text: tuple[str, str]) -> None:
    assert [f.title for f in judged(text[1]).findings if f.severity != "info"] == []
