"""Every case of checks/<check name>.yaml: what the whole engine makes of a text, or of given records, for that check.

<case>:
  text: |                   read as a pasted report; or any of
  devices: [{index, …}]     fields of NvidiaDevice
  events: [{name, values}]  frameworks: [{…}]   host: {…}   driver: {…}   variables: {…}   live: true
  finds: words of the title    severity: of that finding    devices_found: [ids]    or
  clear: true                  or   undecided: words of the fact that is wanted     or   skipped: true
"""

from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_nvidia.checks import nvidia_checks
from accel_nvidia.model import NvidiaDevice, NvLink

from accel.checks.engine import diagnose
from accel.collect.text import read_texts
from accel.contract.check import Check
from accel.model.diagnosis import Diagnosis
from accel.model.environment import Environment, Framework
from accel.model.report import Driver, Event, Report
from accel.model.snapshot import Host, Snapshot
from accel.plugins.registry import Registry

FOLDER = Path(__file__).parent / "checks"
MINE = [c for c in nvidia_checks() if c.code < "NV050" and c.needs is None]
HEADINGS = ("Why it matters", "What to do", "Looks at", "Silent when", "Source")


@cache
def registry() -> Registry:
    return Registry({})


def cases() -> list[Any]:
    found = []
    for path in sorted(FOLDER.glob("*.yaml")):
        if path.stem not in {check.name for check in MINE}:
            continue
        for name, case in yaml.safe_load(path.read_text(encoding="utf-8")).items():
            found.append(pytest.param(path.stem, case, id=f"{path.stem}:{name}"))
    return found


def tuples(value: Any) -> Any:
    return tuple(tuples(v) for v in value) if isinstance(value, list) else value


def device(facts: dict[str, Any]) -> NvidiaDevice:
    given = {key: tuples(value) for key, value in facts.items()}
    given.setdefault("index", 0)
    if "nvlinks" in facts:
        given["nvlinks"] = tuple(NvLink(**link) for link in facts["nvlinks"])
    return NvidiaDevice(id=f"nvidia:{given['index']}", backend="nvidia", vendor="NVIDIA", kind="gpu", **given)


def event(given: dict[str, Any]) -> Event:
    values = tuple((key, str(value)) for key, value in given.get("values", {}).items())
    return Event(
        name=given["name"], message=given.get("message", given["name"]), values=values, device=given.get("device")
    )


def snapshot(case: dict[str, Any]) -> Snapshot:
    if "text" in case:
        return read_texts([("report", case["text"])], registry())
    report = Report(
        backend="nvidia",
        source="nvml",
        devices=tuple(device(d) for d in case.get("devices", ())),
        events=tuple(event(e) for e in case.get("events", ())),
        driver=Driver(**case["driver"]) if "driver" in case else None,
    )
    environment = Environment(
        frameworks=tuple(Framework(**f) for f in case.get("frameworks", ())),
        variables=tuple(case["variables"].items()) if "variables" in case else None,
    )
    origin = "live" if case.get("live") else "given"
    host = Host(**case.get("host", {}))
    return Snapshot(origin=origin, host=host, environments=(environment,), reports=(report,))


def judged(case: dict[str, Any]) -> Diagnosis:
    return diagnose(snapshot(case), registry().specs, registry().checks)


@pytest.mark.parametrize(("name", "case"), cases())
def test_a_case_ends_as_it_says(name: str, case: dict[str, Any]) -> None:
    diagnosis = judged(case)
    assert not [gap for gap in diagnosis.gaps if "the check broke" in gap.reason]
    findings = [f for f in diagnosis.findings if f.name == name]
    if "finds" in case:
        assert any(case["finds"] in f.title for f in findings), [f.title for f in diagnosis.findings]
        first = next(f for f in findings if case["finds"] in f.title)
        assert first.severity == case.get("severity", first.severity)
        assert list(first.devices) == case.get("devices_found", list(first.devices))
        assert first.evidence
        assert first.remedies
    elif "undecided" in case:
        wants = [u.wants[0] for u in diagnosis.undecided if u.name == name]
        assert wants, [f.title for f in findings]
        assert case["undecided"] in wants[0]
    elif "skipped" in case:
        assert name in [s.name for s in diagnosis.not_applicable]
    else:
        assert case["clear"] is True
        assert not findings
        assert name not in [u.name for u in diagnosis.undecided]


@pytest.mark.parametrize("check", MINE, ids=lambda c: c.name)
def test_a_check_has_its_page_and_its_cases(check: Check) -> None:
    page = check.run.__doc__ or ""
    assert [heading for heading in HEADINGS if heading not in page] == []
    path = FOLDER / f"{check.name}.yaml"
    kinds = {key for case in yaml.safe_load(path.read_text(encoding="utf-8")).values() for key in case}
    assert "finds" in kinds
    assert kinds & {"clear", "skipped"}


def test_what_a_check_is_explained_by_exists() -> None:
    known = {name for check in registry().checks for name in (check.name, check.family)}
    named = {name for check in MINE for name in (*check.requires, *check.explained_by)}
    assert named - known == set()


def test_premises_do_not_go_in_a_circle() -> None:
    checks = registry().checks
    by_name = {name: [c.name for c in checks if name in (c.name, c.family)] for c in checks for name in c.requires}
    graph = {c.name: {p for name in c.requires for p in by_name[name] if p != c.name} for c in checks}
    assert len(list(TopologicalSorter(graph).static_order())) == len(checks)


def test_a_machine_without_nvidia_is_no_fault() -> None:
    diagnosis = diagnose(Snapshot(), registry().specs, MINE)
    assert not diagnosis.findings
    assert not diagnosis.undecided
