"""Labelled reports of real faults, where ACCEL_CORPUS names a folder of them: how many causes are named, at once."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from corpus import IS_THERE, judged, reports

from accel.model.diagnosis import Diagnosis, Finding

pytestmark = pytest.mark.skipif(not IS_THERE, reason="ACCEL_CORPUS names no folder of reports")


@cache
def answers() -> tuple[tuple[dict[str, Any], Diagnosis], ...]:
    return tuple(_answers())


def _answers() -> Iterator[tuple[dict[str, Any], Diagnosis]]:
    for path in reports():
        told = judged(path)
        assert told is not None, path
        yield json.loads(path.with_name("case.json").read_text(encoding="utf-8")), told[1]


def test_the_labelled_cause_comes_first() -> None:
    missed = []
    for case, diagnosis in answers():
        first = next((finding for finding in _grave(diagnosis) if finding.is_cause), None)
        named = (first.name, first.family) if first is not None else ()
        if case["root_cause"] != "healthy" and case["root_cause"] not in named:
            missed.append(case["id"])
    assert missed == []


def test_no_report_gets_a_finding_that_its_label_forbids() -> None:
    assert [(c["id"], f.name) for c, d in answers() for f in _grave(d) if f.name in c.get("forbidden", ())] == []


def test_healthy_reports_raise_no_alarm() -> None:
    assert [case["id"] for case, d in answers() if case["root_cause"] == "healthy" and _grave(d)] == []


def _grave(diagnosis: Diagnosis) -> list[Finding]:
    return [f for f in diagnosis.findings if f.severity != "info"]
