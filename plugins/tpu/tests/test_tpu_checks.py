"""The checks of TPU machines, case by case."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_tpu.checks import tpu_checks
from accel_tpu.model import TpuDevice

from accel.contract.check import DoesNotApply, NotKnown
from accel.facts.questions import Facts
from accel.model.device import Process
from accel.model.environment import Environment, Framework, Package
from accel.model.report import Event, Report
from accel.model.snapshot import Snapshot
from accel.specs import load

CASES = yaml.safe_load((Path(__file__).parent / "checks/cases.yaml").read_text())
CHECKS = {check.name: check for check in tpu_checks()}


def _facts(case: dict[str, Any]) -> Facts:
    chips = tuple(_chip(index, dict(chip)) for index, chip in enumerate(case.get("chips", ())))
    events = tuple(
        Event(name=e["name"], message=e["name"], values=tuple(e.get("values", {}).items()))
        for e in case.get("said", ())
    )
    packages = case.get("packages")
    environment = Environment(
        packages=tuple(Package(name=n, version=v) for n, v in packages.items()) if packages is not None else None,
        complete=case.get("complete", False),
        frameworks=(Framework(name="jax", **case["jax"]),) if "jax" in case else (),
        variables=tuple(case["variables"].items()) if "variables" in case else None,
    )
    report = Report(backend="tpu", source="made", devices=chips, events=events)
    return Facts(
        Snapshot(origin="live" if case.get("live") else "made", reports=(report,), environments=(environment,))
    )


def _chip(index: int, chip: dict[str, Any]) -> TpuDevice:
    pids = chip.pop("pids", None)
    return TpuDevice(
        id=f"tpu:{index}",
        index=index,
        backend="tpu",
        vendor="Google",
        kind="tpu",
        processes=None if pids is None else tuple(Process(pid=pid) for pid in pids),
        **chip,
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
    if "devices" in given:
        assert list(problem.devices) == given["devices"]
    if "command" in given:
        assert any(given["command"] in (remedy.command or "") for remedy in problem.remedies)


def test_every_check_has_a_found_case_and_another() -> None:
    assert set(CASES) == set(CHECKS)
    for name, cases in CASES.items():
        assert any("found" in case for case in cases.values()), name
        assert any("found" not in case for case in cases.values()), name


def test_the_checks_are_numbered_in_order_and_tell_what_they_look_at() -> None:
    assert [check.code for check in tpu_checks()] == [f"TP{n:03}" for n in range(1, len(CHECKS) + 1)]
    for check in tpu_checks():
        for heading in ("Why it matters", "What to do", "Looks at", "Silent when", "Source"):
            assert heading in (check.run.__doc__ or ""), check.name


def test_what_explains_or_suppresses_a_check_exists() -> None:
    for check in tpu_checks():
        assert set(check.requires + check.explained_by) <= set(CHECKS)
