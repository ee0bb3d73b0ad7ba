"""Programs in other Pythons: each step is told; what hangs, crashes or floods ends in a sentence, with nothing left."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from textwrap import dedent

import pytest

from accel.measure import children
from accel.measure.children import Began, Done, Ended, Event, Lost, Waiting

PROGRAM = """
    import os, signal, subprocess, sys, time
    from accel_programs.reporting import Unavailable, step

    def main(instructions):
        with step("first", 0.01) as result:
            print("a library's own words")
            os.write(1, b"and those of its C code\\n")
            result["value"] = instructions["value"]
        with step("second", 0.01):
            raise ValueError("no such format")
        with step("third", 0.01):
            raise Unavailable("there is one device only")
        with step("last", 0.01) as result:
            sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            print(f"sleeper={sleeper.pid}", file=sys.stderr, flush=True)
            BODY
"""


@pytest.fixture
def told(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Event]]:
    body, limit, slack = request.param
    monkeypatch.setattr(children, "_SLACK_SECONDS", slack)
    (tmp_path / "trial.py").write_text(dedent(PROGRAM).replace("BODY", body))
    with closing(
        children.events(
            "trial",
            {"value": 7},
            python=sys.executable,
            environment=os.environ,
            within_seconds=limit,
            tick_seconds=0.05,
            folders=[str(tmp_path)],
        )
    ) as events:
        yield [event for event in events if not isinstance(event, Waiting)]


def runs(pid: int) -> bool:
    """Say whether a process that was killed still runs, after a moment for the kernel to end it."""
    for _ in range(200):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][:1] in ("Z", "X"):
                return False
        except OSError:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("told", [("sleeper.kill()", 60, 15)], indirect=True)
def test_a_program_that_ends_tells_all_its_steps(told: list[Event]) -> None:
    assert told[0] == Began(step="first", seconds=0.01)
    assert isinstance(told[1], Ended)
    assert told[1].result == {"value": 7}
    assert isinstance(told[3], Ended)
    assert told[3].error is not None
    assert told[3].error["kind"] == "ValueError"
    assert told[3].error["text"] == "no such format"
    assert told[3].error["at"].partition(":")[0].endswith("trial.py")
    assert isinstance(told[5], Ended)
    assert told[5].unavailable == "there is one device only"
    assert told[-1] == Done()


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("told", "how", "says"),
    [
        (("time.sleep(600)", 60, 0.3), "hung", "did not return in the step last within"),
        (("time.sleep(600)", 2, 15), "deadline", "The time was over in the step last"),
        (("os.kill(os.getpid(), signal.SIGSEGV)", 60, 15), "ended", "was ended by SIGSEGV in the step last"),
        (("os._exit(3)", 60, 15), "ended", "left with exit 3 in the step last"),
        (("while True: os.write(2, b'x' * 65536)", 60, 15), "flooded", "printed without end"),
    ],
    indirect=["told"],
)
def test_what_is_lost_names_its_step_and_leaves_no_process(told: list[Event], how: str, says: str) -> None:
    lost = told[-1]
    assert isinstance(lost, Lost)
    assert (lost.how, lost.step) == (how, "last")
    assert says in children.sentence(lost)
    if how != "flooded":
        sleeper = next(line for line in lost.last_lines if line.startswith("sleeper="))
        assert not runs(int(sleeper.partition("=")[2]))


def test_a_python_that_is_missing_is_a_sentence() -> None:
    (lost,) = children.events("trial", {}, python="/nowhere/python", environment={}, within_seconds=5)
    assert isinstance(lost, Lost)
    assert children.sentence(lost).startswith("The Python could not be started: ")


def test_a_library_in_the_working_folder_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trial.py").write_text(
        dedent(
            """
            from accel_programs.reporting import step
            def main(instructions):
                with step("import", 0.01):
                    import shadow_of_a_library
            """
        )
    )
    (tmp_path / "shadow_of_a_library.py").write_text("")
    monkeypatch.chdir(tmp_path)
    found = children.events(
        "trial", {}, python=sys.executable, environment=os.environ, within_seconds=60, folders=[str(tmp_path)]
    )
    (ended,) = (event for event in found if isinstance(event, Ended))
    assert ended.error is not None
    assert ended.error["kind"] == "ModuleNotFoundError"
