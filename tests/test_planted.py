"""Planted secrets and identifiers, one kind a line: none leaves in a redacted snapshot; versions and words stay."""

import re
from pathlib import Path
from typing import Any

import pytest
from every_case import every_case, registry

from accel.apps.privacy.redact import redacted
from accel.diagnose.engine import diagnose
from accel.model.diagnosis import Diagnosis
from accel.model.observation import Complaint
from accel.model.snapshot import Snapshot
from accel.specs.store import parse

PLANTED: dict[str, Any] = parse(str(Path(__file__).with_name("planted.yaml")))
_PARTS = 5  # so that workers share them
_HIDDEN = re.compile("«([^»]+)»")


def shown(text: str) -> str:
    """Return what becomes of a text that an observation quotes."""
    snapshot = redacted(Snapshot(observations=(Complaint(text=text, form="words"),)))
    return snapshot.observations[0].text


@pytest.mark.parametrize("line", [*PLANTED["secrets"], *PLANTED["identifiers"]])
def test_what_is_planted_does_not_leave(line: str) -> None:
    hidden = _HIDDEN.findall(line)
    told = shown(line.replace("«", "").replace("»", ""))
    assert hidden
    assert [one for one in hidden if one in told] == [], told


@pytest.mark.parametrize("line", PLANTED["stays"])
def test_what_names_nobody_stays(line: str) -> None:
    assert shown(line) == line


def test_a_name_that_was_told_once_is_replaced_everywhere() -> None:
    told = shown("jdoe7@bigbox7:~$ nvidia-smi\nthe job of jdoe7 on bigbox7 died")
    assert "jdoe7" not in told
    assert "bigbox7" not in told


@pytest.mark.slow
@pytest.mark.parametrize("part", range(_PARTS))
def test_a_redacted_snapshot_is_judged_as_the_whole_one(part: int) -> None:
    known = registry()
    for case in every_case()[part::_PARTS]:
        if case.text is None or (shared := redacted(case.snapshot)) == case.snapshot:
            continue
        assert told(diagnose(shared, known.specs, known.checks, known.rules)) == told(case.diagnosis), case.text


def told(diagnosis: Diagnosis) -> Any:
    return diagnosis.verdict, [(f.code, f.severity, f.is_cause) for f in diagnosis.findings]
