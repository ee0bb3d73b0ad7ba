"""Labelled reports of real faults, where ACCEL_CORPUS names a folder of them: how many causes are named, at once."""

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from accel.checks.engine import diagnose
from accel.collect.text import read_texts
from accel.model.diagnosis import Diagnosis, Finding
from accel.plugins.registry import Registry

pytestmark = pytest.mark.skipif("ACCEL_CORPUS" not in os.environ, reason="ACCEL_CORPUS names no folder of reports")
# What was reached, less a little. A change that loses more is a step back; a change that gains should raise it.
LEAST_FOUND = 0.9
MOST_FALSE_ALARMS = 2


@cache
def answers() -> tuple[tuple[dict[str, Any], Diagnosis], ...]:
    return tuple(_answers())


def _answers() -> Iterator[tuple[dict[str, Any], Diagnosis]]:
    registry = Registry({})
    for path in sorted(Path(os.environ["ACCEL_CORPUS"]).glob("cases/*/case.json")):
        text = path.with_name("report.txt").read_text(encoding="utf-8", errors="replace")
        snapshot = read_texts([("report.txt", text)], registry)
        diagnosis = diagnose(snapshot, registry.specs, registry.checks, registry.rules)
        yield json.loads(path.read_text(encoding="utf-8")), diagnosis


def test_the_labelled_causes_are_named() -> None:
    classes: dict[str, list[bool]] = defaultdict(list)
    for case, diagnosis in answers():
        if case["root_cause"] != "healthy":
            found = any(case["root_cause"] in (f.name, f.family) for f in _grave(diagnosis))
            classes[case["root_cause"]].append(found)
    assert sum(sum(found) / len(found) for found in classes.values()) / len(classes) >= LEAST_FOUND


def test_healthy_reports_raise_no_alarm() -> None:
    alarms = [case["id"] for case, diagnosis in answers() if case["root_cause"] == "healthy" and _grave(diagnosis)]
    assert len(alarms) <= MOST_FALSE_ALARMS, alarms


def _grave(diagnosis: Diagnosis) -> list[Finding]:
    return [f for f in diagnosis.findings if f.severity != "info"]
