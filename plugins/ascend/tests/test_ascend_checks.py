"""Every check on its cases: cases/<check>.yaml. A case is a small snapshot, and which way the check ends on it.

Texts go through the message tables of specs/, so a case of a sentence tests its pattern too.
"""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_ascend.checks import ascend_checks
from accel_ascend.model import AscendDevice

from accel.checks.engine import diagnose
from accel.contract.check import Check
from accel.model.diagnosis import Diagnosis
from accel.model.environment import Environment, Package, Toolkit
from accel.model.report import Driver, Event, Report
from accel.model.snapshot import Host, Snapshot
from accel.readers.sentences import sentences_reader
from accel.specs import load

CASES = Path(__file__).parent / "cases"
CHECKS = {check.name: check for check in ascend_checks()}
KEYS = {
    "text",
    "events",
    "devices",
    "driver",
    "packages",
    "complete",
    "variables",
    "toolkits",
    "host",
    "live",
    "slowdown_celsius",
    "finds",
    "severity",
    "detail",
    "clear",
    "undecided",
    "skipped",
}


def cases() -> list[Any]:
    return [
        pytest.param(path.stem, case, id=f"{path.stem}:{name}")
        for path in sorted(CASES.glob("*.yaml"))
        for name, case in yaml.safe_load(path.read_text()).items()
    ]


def snapshot_of(case: dict[str, Any]) -> Snapshot:
    events = tuple(
        Event(
            name=event["name"],
            message=event.get("message", event["name"]),
            values=tuple(event.get("values", {}).items()),
        )
        for event in case.get("events", ())
    )
    devices = tuple(device_of(device) for device in case.get("devices", ()))
    driver = Driver(version=case["driver"]) if "driver" in case else None
    reports: list[Report] = []
    if events or devices or driver:
        reports.append(Report(backend="ascend", source="case", driver=driver, devices=devices, events=events))
    for reading in sentences_reader(load().messages()).read(case.get("text", "")):
        reports += reading.reports
    packages = tuple(Package(name=name, version=version) for name, version in case.get("packages", {}).items())
    environment = Environment(
        packages=packages or None,
        complete=case.get("complete", False),
        toolkits=tuple(Toolkit(name=name, version=version) for name, version in case.get("toolkits", {}).items()),
        variables=tuple(case["variables"].items()) if "variables" in case else None,
    )
    return Snapshot(
        origin="live" if case.get("live") else "case.txt",
        host=Host(**case.get("host", {})),
        environments=(environment,),
        reports=tuple(reports),
    )


def device_of(facts: dict[str, Any]) -> AscendDevice:
    facts = {key: tuple(value) if isinstance(value, list) else value for key, value in facts.items()}
    name = facts.pop("id", "ascend:0")
    index = int(name.partition(":")[2])
    return AscendDevice(id=name, index=index, backend="ascend", vendor="Huawei", kind="npu", **facts)


class SpecsWithThreshold:
    """The specs, with a temperature at which every chip slows down."""

    def __init__(self, celsius: float) -> None:
        self._specs = load()
        self._celsius = celsius

    def chip(self, **asked: Any) -> Any:
        found = self._specs.chip(**asked)
        return replace(found, slowdown_celsius=self._celsius) if found else None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._specs, name)


def judged(check: Check, case: dict[str, Any]) -> Diagnosis:
    specs: Any = SpecsWithThreshold(case["slowdown_celsius"]) if "slowdown_celsius" in case else load()
    return diagnose(snapshot_of(case), specs, (check,))


@pytest.mark.parametrize(("name", "case"), cases())
def test_a_check_ends_as_its_case_says(name: str, case: dict[str, Any]) -> None:
    assert set(case) <= KEYS
    diagnosis = judged(CHECKS[name], case)
    broken = [gap.reason for gap in diagnosis.gaps if gap.fact.startswith("check ")]
    assert broken == []
    if "finds" in case:
        assert any(case["finds"] in finding.title for finding in diagnosis.findings), diagnosis
        finding = diagnosis.findings[0]
        assert finding.remedies
        assert finding.severity == case.get("severity", finding.severity)
        assert case.get("detail", "") in (finding.detail or "")
    elif "undecided" in case:
        assert [undecided.wants for undecided in diagnosis.undecided] == [(case["undecided"],)]
    elif "skipped" in case:
        assert [case["skipped"] in skipped.reason for skipped in diagnosis.not_applicable] == [True]
    else:
        assert case["clear"]
        assert [clear.name for clear in diagnosis.clear] == [name], diagnosis


def test_every_check_has_its_cases() -> None:
    assert {path.stem for path in CASES.glob("*.yaml")} == set(CHECKS)


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_a_check_is_shown_to_find_and_to_be_clear(name: str) -> None:
    ends = {end for case in yaml.safe_load((CASES / f"{name}.yaml").read_text()).values() for end in case}
    assert {"finds", "clear"} <= ends


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_a_check_says_nothing_of_a_machine_without_ascend(name: str) -> None:
    nvidia = Report(backend="nvidia", source="nvml", driver=Driver(version="550.54"))
    snapshot = Snapshot(origin="x", reports=(nvidia,))
    diagnosis = diagnose(snapshot, load(), (CHECKS[name],))
    assert [skipped.name for skipped in diagnosis.not_applicable] == [name]


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_a_check_has_the_headings_that_its_page_is_made_of(name: str) -> None:
    page = CHECKS[name].run.__doc__ or ""
    for heading in ("Why it matters", "What to do", "Looks at", "Silent when", "Source"):
        assert f"\n    {heading}   " in page or f"\n    {heading}  " in page, heading


def test_codes_are_in_a_row_and_causes_are_checks() -> None:
    assert [check.code for check in ascend_checks()] == [f"AS{n:03}" for n in range(1, len(CHECKS) + 1)]
    for check in ascend_checks():
        assert set(check.explained_by) <= set(CHECKS)


def test_a_devices_facts_are_all_unknown_at_first() -> None:
    device = device_of({})
    known = {f.name for f in fields(device) if getattr(device, f.name) is not None}
    assert known == {"id", "index", "backend", "vendor", "kind", "health"}
