"""The machines of the comparison with other resolvers, whose right answers were written by hand, not by accel."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import accel
from accel.specs.store import parse

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def _judge() -> ModuleType:
    spec = importlib.util.spec_from_file_location("resolvers_judge", BENCHMARKS / "resolvers/judge.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


JUDGE = _judge()
MACHINES = {t.name: t for t in JUDGE.truths(parse(str(BENCHMARKS / "resolve_machines.yaml")))}
WRONG = [(name, row) for name, truth in MACHINES.items() for row in truth.fails]


def _asked(machine: dict[str, Any]) -> dict[str, Any]:
    given = {key: machine[key] for key in ("driver", "python", "system", "machine") if key in machine}
    libc = {"libc": machine.get("libc", "2.35")} if machine["system"] in ("linux", "wsl") else {}
    return {"gpus": machine["gpus"] or ["none"], **given, **libc}


def test_there_are_forty_machines() -> None:
    assert len(MACHINES) == 40


@pytest.mark.parametrize("name", MACHINES)
def test_the_answer_would_run_on_the_machine(name: str) -> None:
    truth = MACHINES[name]
    found = accel.resolve(truth.asks, **_asked(truth.machine))
    torch = next((c for c in found.chosen if c.package == "torch"), None)
    pick = JUDGE.Pick(version=torch.version, build=torch.variant) if torch else JUDGE.Pick()
    verdict = JUDGE.judge(truth, pick)
    assert verdict.outcome == "right", (pick.label, verdict)


OWN_BUILD = "jetson-orin"  # no build of the tables fits it; NVIDIA has one for the board


def test_a_board_that_no_build_of_the_tables_fits_is_given_its_makers_own() -> None:
    truth = MACHINES[OWN_BUILD]
    found = accel.resolve(truth.asks, **_asked(truth.machine))
    assert truth.newest is None
    assert [(one.package, one.variant) for one in found.chosen] == [("torch", None)]
    assert "NVIDIA's own build for JetPack 6" in found.chosen[0].why
    assert "jp6" in (found.command or "")


@pytest.mark.parametrize(
    "name", [name for name, truth in MACHINES.items() if truth.newest is None and name != OWN_BUILD]
)
def test_where_nothing_works_it_says_why_and_what_would(name: str) -> None:
    truth = MACHINES[name]
    found = accel.resolve(truth.asks, **_asked(truth.machine))
    assert not found.chosen
    assert found.rejected
    assert found.upgrade


@pytest.mark.parametrize(("name", "row"), WRONG, ids=[f"{name}-{row['builds'][0]}" for name, row in WRONG])
def test_a_build_that_would_fail_is_judged_wrong(name: str, row: dict[str, Any]) -> None:
    pick = JUDGE.Pick(version="99.0", build=row["builds"][0].replace("*", "9"))
    assert JUDGE.judge(MACHINES[name], pick).outcome == "wrong"
    assert JUDGE.judge(MACHINES[name], pick).how in JUDGE.HOW


def test_an_idle_gpu_and_a_machine_left_without_an_answer_are_judged_wrong() -> None:
    truth = MACHINES["ampere-on-535"]
    assert JUDGE.judge(truth, JUDGE.Pick(version="2.15.0", build="cpu")).how == "cpu"
    assert JUDGE.judge(truth, JUDGE.Pick()).how == "declined"
    with pytest.raises(JUDGE.Undecided):
        JUDGE.judge(truth, JUDGE.Pick(version="2.14.1", build="rocm7.2"))
