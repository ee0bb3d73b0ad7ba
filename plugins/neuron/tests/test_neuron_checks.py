"""The checks of Neuron machines, case by case."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_neuron.checks import neuron_checks
from accel_neuron.model import NeuronDevice

from accel.contract.check import DoesNotApply, NotKnown
from accel.facts.questions import Facts
from accel.model.device import Process
from accel.model.report import Event, Report
from accel.model.snapshot import Host, Snapshot
from accel.specs import load

CASES = yaml.safe_load((Path(__file__).parent / "checks/cases.yaml").read_text())
CHECKS = {check.name: check for check in neuron_checks()}


def _facts(case: dict[str, Any]) -> Facts:
    devices = tuple(_device(index, dict(device)) for index, device in enumerate(case.get("devices", ())))
    events = tuple(
        Event(name=e["name"], message=e["name"], values=tuple(e.get("values", {}).items()), device=e.get("device"))
        for e in case.get("said", ())
    )
    report = Report(backend="neuron", source="made", devices=devices, events=events)
    host = Host(containerized=case.get("containerized"))
    return Facts(Snapshot(origin=case.get("origin", "made"), host=host, reports=(report,)))


def _device(index: int, device: dict[str, Any]) -> NeuronDevice:
    pids = device.pop("pids", None)
    return NeuronDevice(
        id=f"neuron:{index}",
        index=index,
        backend="neuron",
        vendor="made",
        kind="accelerator",
        processes=None if pids is None else tuple(Process(pid=pid) for pid in pids),
        **device,
    )


@pytest.mark.parametrize(("name", "case"), [(name, case) for name in CASES for case in CASES[name]])
def test_a_check_ends_as_its_case_says(name: str, case: str) -> None:
    given = CASES[name][case]
    facts = _facts(given)
    if "undecided" in given:
        with pytest.raises(NotKnown, match=re.escape(given["undecided"])):
            list(CHECKS[name].run(facts, load()))
        return
    if given.get("skipped"):
        with pytest.raises(DoesNotApply):
            list(CHECKS[name].run(facts, load()))
        return
    problems = list(CHECKS[name].run(facts, load()))
    if given.get("clear"):
        assert problems == []
        return
    (problem,) = problems
    assert given["found"] in problem.title
    assert problem.evidence
    assert all(remedy.command for remedy in problem.remedies)
    assert list(problem.devices) == given.get("of", [])


def test_every_check_has_a_found_case_and_another() -> None:
    assert set(CASES) == set(CHECKS)
    for name, cases in CASES.items():
        assert any("found" in case for case in cases.values()), name
        assert any("found" not in case for case in cases.values()), name


def test_the_checks_are_numbered_in_order_and_tell_what_they_look_at() -> None:
    assert [check.code for check in neuron_checks()] == [f"NE{n:03}" for n in range(1, len(CHECKS) + 1)]
    for check in neuron_checks():
        for heading in ("Why it matters", "What to do", "Looks at", "Silent when", "Source"):
            assert heading in (check.run.__doc__ or ""), check.name


def test_what_explains_or_suppresses_a_check_exists() -> None:
    for check in neuron_checks():
        assert set(check.requires + check.explained_by) <= set(CHECKS)
