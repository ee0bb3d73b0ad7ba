"""A benchmark goes on after a step that crashes or raises, and keeps what it has however it ends."""

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from accel.machine.live import LiveMachine
from accel.measure import children
from accel.measure.bench.frameworks import Served
from accel.measure.bench.plan import Step, planned
from accel.measure.bench.running import Progress, Run
from accel.model.device import Device
from accel.model.readings import Readings

PROGRAM = """
    import os, time
    from accel_programs.reporting import Unavailable, step
    FIGURE = {"seconds": 0.5, "best": 0.4, "worst": 0.6, "spread": 0.01, "runs": 5, "amount": 100}

    def main(instructions):
        with step("import torch", 1.0) as result:
            IMPORT
            result.update(framework="torch", version="2.9", build="cpu", threads=2, devices={})
        if "framework" not in result:
            return
        gone = False
        for row in instructions["steps"]:
            if gone:
                os._exit(75)
            with step(row["step"], 0.05) as result:
                result.update(FIGURE, wall_seconds=0.5, cpu_seconds=0.5)
                if row["do"] == "crash":
                    os.kill(os.getpid(), 11)
                if row["do"] == "raise":
                    raise type("OutOfMemoryError", (RuntimeError,), {})("CUDA out of memory. Tried to allocate 2 GiB")
                if row["do"] == "hang":
                    time.sleep(600)
                if row["do"] == "late":
                    raise Unavailable("the time was over before it began. Run without --quick")
                if row["do"] == "lacking":
                    raise Unavailable("torch has no pinned memory for mps")
                if row["do"] == "leave":
                    gone = True
                if row["do"] == "nothing":
                    result.clear()
"""


def steps(*what: str) -> list[Step]:
    return [
        Step(name=f"{number} {do}", kind="memory", device="cpu:0", framework="torch",
             row={"step": f"{number} {do} cpu:0", "do": do, "seconds": 0.1})
        for number, do in enumerate(what)
    ]  # fmt: skip


@pytest.fixture
def program(tmp_path: Path) -> Any:
    def run(what: list[Step], within: float = 60.0, importing: str = "pass", **more: Any) -> Run:
        (tmp_path / "trial.py").write_text(dedent(PROGRAM).replace("IMPORT", importing))
        it = Run(
            what,
            python=sys.executable,
            machine=LiveMachine(),
            within_seconds=within,
            program="trial",
            folders=[str(tmp_path)],
            **more,
        )
        it.all()
        return it

    return run


def test_what_crashes_raises_or_does_not_apply_costs_itself_alone(program: Any) -> None:
    it = program(steps("measure", "crash", "raise", "lacking", "late", "nothing", "measure"))
    outcomes = list(it.outcomes.values())
    assert [one.state for one in outcomes] == [
        "measured", "failed", "failed", "unavailable", "not-run", "failed", "measured",
    ]  # fmt: skip
    assert "ended by SIGSEGV in the step 1 crash cpu:0" in outcomes[1].reason
    assert "accel doctor --python" in outcomes[1].reason
    assert outcomes[2].reason.startswith("OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB.")
    assert outcomes[2].reason.endswith("Who uses the memory:  accel ps")
    assert it.ended_by is None
    assert it.about["torch"]["version"] == "2.9"


def test_a_process_whose_device_is_lost_leaves_and_the_rest_runs_in_another(program: Any) -> None:
    it = program(steps("leave", "measure"))
    assert [one.state for one in it.outcomes.values()] == ["measured", "measured"]


def test_a_hang_ends_and_the_rest_is_measured(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "_SLACK_SECONDS", 0.2)
    it = program(steps("hang", "measure"))
    assert [one.state for one in it.outcomes.values()] == ["failed", "measured"]


def test_the_deadline_keeps_what_there_is(program: Any) -> None:
    it = program(steps("measure", "hang", "measure"), within=2.5)
    assert [one.state for one in it.outcomes.values()] == ["measured", "not-run", "not-run"]
    assert it.ended_by == "deadline"
    assert all("--deadline" in one.reason for one in list(it.outcomes.values())[1:])


def test_an_interrupt_keeps_what_there_is(program: Any) -> None:
    def interrupt(progress: Progress) -> None:
        if "hang" in progress.step:
            raise KeyboardInterrupt

    it = program(steps("measure", "hang", "measure"), report=interrupt)
    assert [one.state for one in it.outcomes.values()] == ["measured", "not-run", "not-run"]
    assert it.ended_by == "interrupt"


@pytest.mark.parametrize(
    ("importing", "says"),
    [
        ("import torch_of_nowhere", "ModuleNotFoundError: No module named 'torch_of_nowhere'."),
        ("os.abort()", "ended by SIGABRT in the step import torch"),
    ],
)
def test_a_framework_that_cannot_be_imported_is_said_once_for_all_steps(
    program: Any, importing: str, says: str
) -> None:
    it = program(steps("measure", "measure"), importing=importing)
    assert [one.state for one in it.outcomes.values()] == ["failed", "failed"]
    assert all(says in one.reason and "accel doctor --python" in one.reason for one in it.outcomes.values())


def test_readings_beside_a_step_are_those_of_its_device(program: Any) -> None:
    def sample() -> list[Readings]:
        return [Readings(id="cpu:0", clock_mhz=3100), Readings(id="other:0", clock_mhz=1)]

    it = program(steps("measure"), sample=sample)
    (one,) = it.outcomes.values()
    assert one.conditions.clock_mhz.low == 3100


def device(name: str, kind: Any = "gpu") -> Device:
    return Device(id=name, index=0, backend=name.partition(":")[0], vendor="x", kind=kind)


def test_the_plan_asks_for_what_each_device_has_and_no_step_twice() -> None:
    gpus = [Served(device=device(f"nvidia:{n}"), framework="torch", name=f"cuda:{n}") for n in (0, 1)]
    made = planned([(one, ("fp64", "fp32", "tf32", "bf16", "int4")) for one in gpus], quick=False, folder="/data")
    names = [step.name for step in made if step.device == "nvidia:0"]
    assert names[:4] == ["matmul bf16", "matmul tf32", "matmul fp32", "matmul fp64"]
    assert len({step.key for step in made}) == len(made)
    assert [step.others for step in made if step.kind == "peer"] == [("nvidia:1",), ("nvidia:0",)]
    assert [step.row["devices"] for step in made if step.kind == "collective"] == [["cuda:0", "cuda:1"]]
    assert [step.row["folder"] for step in made if step.kind == "storage"] == ["/data"]
    quick = planned([(one, ()) for one in gpus], quick=True, folder="/data", only=("collective", "matmul"))
    assert {step.kind for step in quick} == {"matmul"}


def test_a_quick_plan_of_many_devices_has_one_measure_of_each_kind() -> None:
    eight = [Served(device=device(f"nvidia:{n}"), framework="torch", name=f"cuda:{n}") for n in range(8)]
    made = planned([(one, ("bf16", "fp32")) for one in eight], quick=True, folder="/data")
    of_one = [step.name for step in made if step.device == "nvidia:3"]
    assert of_one == ["matmul bf16", "memory triad", "host to device, pinned", "device to device"]
    assert sum(step.row["seconds"] for step in made) < 10


def test_the_processor_has_memory_and_storage_without_a_framework() -> None:
    bare = Served(device=device("cpu:0", "cpu"), reason="torch is not installed there")
    made = planned([(bare, ())], quick=True, folder="/data")
    assert [step.name for step in made] == ["memory write", "memory copy", "storage read"]
