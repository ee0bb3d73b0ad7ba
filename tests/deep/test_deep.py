"""What frameworks show in children: what hangs, crashes or errs costs its step, becomes a fact, and leaves nothing."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from accel.apps.cli import doctor
from accel.collect.live import judged
from accel.measure import children
from accel.measure.deep import running
from accel.measure.deep.facts import with_facts
from accel.model.codec import decode_snapshot, encode_snapshot
from accel.model.environment import Environment, Framework
from accel.model.snapshot import Snapshot
from accel.plugins.registry import Registry

HERE = Path(__file__).parent
STUB = (HERE / "stub_torch.py").read_text()
BROKEN: dict[str, dict[str, Any]] = msgspec.yaml.decode((HERE / "broken.yaml").read_bytes())
IDS = {"cpu": "cpu:0"}


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step of 3 s hangs after 1.5 s."""
    monkeypatch.setattr(children, "_PATIENCE", 0.5)
    monkeypatch.setattr(children, "_SLACK_SECONDS", 0.0)


def environment_of(folder: Path, code: str) -> dict[str, str]:
    """The environment of a Python whose torch is the stub with `code` after it."""
    package = folder / "torch"
    package.mkdir()
    (package / "__init__.py").write_text(f"{STUB}\n{code}")
    return {**os.environ, "PYTHONPATH": str(folder)}


def tried(folder: Path, code: str = "", within_seconds: float = 60.0, expects: tuple[str, ...] = ()) -> running.Told:
    environment = environment_of(folder, code)
    return running.run(sys.executable, environment, within_seconds=within_seconds, expects=expects)


def of_torch(told: running.Told, *outcomes: str) -> list[running.Step]:
    return [one for one in told.steps if one.framework == "torch" and one.outcome in outcomes]


def diagnosed(told: running.Told) -> tuple[Snapshot, Any]:
    registry = Registry({})
    bare = Snapshot(environments=(Environment(python_version="3.11.7", frameworks=(Framework(name="torch"),)),))
    snapshot = with_facts(bare, told, registry, IDS)
    return snapshot, judged(snapshot, registry)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_framework_is_named_by_its_step_and_the_others_are_run(name: str, tmp_path: Path) -> None:
    case = {"failed": {}, **BROKEN[name]}
    told = tried(tmp_path, case.get("code", ""), expects=tuple(case.get("expects", ())))
    seen = of_torch(told, *running.FAILED)
    assert [one.step for one in seen] == list(case["failed"])
    assert [{key: getattr(one, key) for key in case["failed"][one.step]} for one in seen] == list(
        case["failed"].values()
    )
    assert {one.step for one in of_torch(told, "right")} >= set(case.get("right", ()))
    assert {one.step for one in of_torch(told, "unavailable")} >= set(case.get("unavailable", ()))

    snapshot, diagnosis = diagnosed(told)
    found = {one.name: one for one in diagnosis.findings}
    assert ("framework-step-failed" in found) == bool(case["failed"])
    assert set(case.get("finds", ())) <= set(found)
    if case["failed"]:
        wanted = case.get("explained_by")
        assert found["framework-step-failed"].explained_by == ((wanted,) if wanted else ())
        assert all(step in found["framework-step-failed"].title for step in case["failed"])
    else:
        assert not [one for one in found.values() if one.severity != "info"]
        told_of = [one for one in snapshot.observations if getattr(one, "fact", "") == "framework-computed"]
        assert [one.device for one in told_of if "torch" in one.text] == ["cpu:0"]
    assert snapshot.environments[0].frameworks[0].available is (None if "import" in case["failed"] else False)
    assert decode_snapshot(encode_snapshot(snapshot), {}).observations == snapshot.observations


@pytest.mark.usefixtures("impatient")
def test_a_hang_leaves_no_process_nor_a_child_of_its_own(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = f"""
import os, subprocess, time
def _hang(*_):
    child = subprocess.Popen(["sleep", "600"])
    with open({str(pids)!r}, "w") as file:
        file.write(f"{{os.getpid()}} {{child.pid}}")
    time.sleep(600)
nn.functional.conv2d = _hang
"""
    told = tried(tmp_path, code)
    assert [one.step for one in of_torch(told, "hung")] == ["convolution"]
    assert_gone(pids)


def test_ctrl_c_keeps_what_was_shown_and_leaves_no_process(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = f"import os\nopen({str(pids)!r}, 'w').write(str(os.getpid()))"
    environment = environment_of(tmp_path, code)

    def interrupt(progress: running.Progress) -> None:
        if progress.ended is not None and progress.ended.step == "matmul fp32":
            raise KeyboardInterrupt

    told = running.run(sys.executable, environment, within_seconds=60.0, report=interrupt)
    assert told.interrupted
    assert [one.step for one in told.steps][-1] == "matmul fp32"
    assert_gone(pids)
    _, diagnosis = diagnosed(told)
    assert diagnosis.verdict == "undecided"
    assert any("interrupted" in gap.reason for gap in diagnosis.gaps)


def test_the_deadline_ends_all_and_says_what_was_not_run(tmp_path: Path) -> None:
    told = tried(tmp_path, "import time\ntime.sleep(600)", within_seconds=1.5)
    assert [one.outcome for one in of_torch(told, "not-run")]
    snapshot, diagnosis = diagnosed(told)
    assert any("deadline of 1.5 s" in gap.reason and "--deadline" in gap.reason for gap in snapshot.gaps)
    assert diagnosis.verdict == "undecided"


def test_the_doctor_says_so_in_a_line_for_each_step_and_two_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = environment_of(tmp_path, BROKEN["the-convolution-aborts"]["code"])
    monkeypatch.setenv("PYTHONPATH", environment["PYTHONPATH"])
    code = doctor.run(["--deep", "--json", "--python", sys.executable, "--deadline", "90"])
    said = capsys.readouterr()
    assert code == 1
    assert "accel: torch: convolution on cpu: crashed (SIGABRT)" in said.err
    assert "accel: torch: solver on cpu: right" in said.err
    findings = {one["name"]: one for one in json.loads(said.out)["findings"]}
    assert findings["framework-step-failed"]["explained_by"] == ["cudnn-mismatch"]
    assert not {"torch", "jax"} & set(sys.modules)


@pytest.mark.parametrize("words", [["--deep", "report.txt"], ["--deadline", "5"], ["--deep", "--all-environments"]])
def test_what_deep_cannot_look_at_is_refused(words: list[str]) -> None:
    from accel.model.errors import BadInput

    with pytest.raises(BadInput, match="--deep"):
        doctor.run(words)


def assert_gone(pids: Path) -> None:
    """Assert that these processes end, if they have not ended."""
    left = [int(word) for word in pids.read_text().split()]
    for _ in range(200):  # after a kill the kernel takes a moment
        left = [pid for pid in left if is_running(pid)]
        if not left:
            return
        time.sleep(0.02)
    assert left == []


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
