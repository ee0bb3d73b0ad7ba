"""Beside a finding stand only the errors that it leaves unexplained: unexplained.yaml."""

from pathlib import Path
from typing import Any

import pytest

import accel
from accel.specs.store import parse

CASES: dict[str, dict[str, Any]] = parse(str(Path(__file__).parent / "unexplained.yaml"))


@pytest.mark.parametrize("name", CASES)
def test_what_is_left_beside_a_finding(name: str) -> None:
    case = CASES[name]
    diagnosis = accel.doctor(accel.read_text(case["text"]))
    found = {finding.name for finding in diagnosis.findings if finding.severity == "error"}
    assert (case["finding"] in found) if case["finding"] else not found
    left = [one.text for one in diagnosis.unexplained]
    assert len(left) == len(case["left"]), left
    assert all(part in text for part, text in zip(case["left"], left, strict=True)), left
