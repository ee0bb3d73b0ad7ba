"""What a check says on each of its cases, word for word, kept beside them: a change of a word shows in review.

checks/driver-too-old.yaml            the cases (tests/judged/check_cases.py)
checks/golden/driver-too-old.yaml     what was said: written by  ACCEL_UPDATE_GOLDEN=1 python -m pytest , then read
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from check_cases import snapshot_of

from accel.diagnose.engine import diagnose
from accel.model.diagnosis import Diagnosis, Finding
from accel.plugins.registry import Registry
from accel.specs.store import parse


def golden_difference(
    folder: Path, check: str, registry: Registry, judged: Mapping[str, Diagnosis] | None = None
) -> str:
    """Return how what a check says on its cases differs from what is kept; "" if it does not.

    judged: the diagnosis of each case by its name, if these are had.
    With ACCEL_UPDATE_GOLDEN=1 in the environment, keep what it says.
    """
    if judged is None:
        cases = parse(str(folder / f"{check}.yaml")) or {}
        judged = {name: _judged(case, registry) for name, case in cases.items()}
    said = {name: _said(check, diagnosis) for name, diagnosis in judged.items()}
    kept_in = folder / "golden" / f"{check}.yaml"
    if os.environ.get("ACCEL_UPDATE_GOLDEN") == "1":
        kept_in.parent.mkdir(exist_ok=True)
        kept_in.write_text(_text(said), encoding="utf-8")
        return ""
    if not kept_in.exists():
        return f"there is no {kept_in.name} in golden/; write it with ACCEL_UPDATE_GOLDEN=1, then read it"
    kept = parse(str(kept_in)) or {}
    names = [name for name in {**said, **kept} if said.get(name) != kept.get(name)]
    return "\n".join(f"{name}:\nkept {kept.get(name)}\nsaid {said.get(name)}" for name in names)


def told(finding: Finding) -> dict[str, Any]:
    """Return all that a finding tells a person, without what is as usual."""
    parts: dict[str, Any] = {
        "title": finding.title,
        "severity": finding.severity,
        "detail": finding.detail,
        "devices": list(finding.devices),
        "after": list(finding.explained_by),
        "rests on": list(finding.rests_on),
        "seen": [
            " | ".join(str(part) for part in (e.fact, e.value, e.source, e.line) if part is not None)
            for e in finding.evidence
        ],
        "do": [" | ".join(part for part in (r.action, r.text, r.command) if part) for r in finding.remedies],
    }
    return {key: value for key, value in parts.items() if value}


def _judged(case: Mapping[str, Any], registry: Registry) -> Diagnosis:
    return diagnose(snapshot_of(case, registry), registry.specs, registry.checks, registry.rules)


def _said(check: str, diagnosis: Diagnosis) -> Any:
    found = [told(finding) for finding in diagnosis.findings if finding.name == check]
    return found or _end(check, diagnosis)


def _end(check: str, diagnosis: Diagnosis) -> str:
    for one in diagnosis.undecided:
        if one.name == check:
            return f"undecided without {', '.join(one.wants)}"
    for other in diagnosis.not_applicable:
        if other.name == check:
            return f"not applicable: {other.reason}"
    return "clear"


def _text(said: dict[str, Any]) -> str:
    head = (
        "# What the check says on each of its cases. Written by the tests with ACCEL_UPDATE_GOLDEN=1; read the diff.\n"
    )
    return head + yaml.safe_dump(said, allow_unicode=True, sort_keys=False, width=110)
