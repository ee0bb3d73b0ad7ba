"""Commands end at their deadline, whatever they do."""

import os
import sys
import time
from pathlib import Path

import pytest

from accel.machine import process
from accel.machine.process import run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the commands are those of a POSIX shell")


def test_a_command_gives_its_output_and_its_exit_code() -> None:
    result = run(["sh", "-c", "echo out; echo err >&2; exit 3"], 5, os.environ)
    assert (result.stdout, result.stderr, result.exit_code) == ("out\n", "err\n", 3)
    assert not result.timed_out
    assert not result.missing


def test_a_command_that_is_not_there_is_missing() -> None:
    result = run(["no-such-command-at-all"], 5, os.environ)
    assert result.missing
    assert result.exit_code is None
    assert run([], 5, os.environ).missing


def test_a_hanging_command_is_cut_and_what_it_said_is_kept() -> None:
    result = run(["sh", "-c", "echo half; sleep 600"], 0.3, os.environ)
    assert (result.timed_out, result.exit_code, result.stdout) == (True, None, "half\n")


def test_the_children_of_a_hanging_command_are_killed_too() -> None:
    result = run(["sh", "-c", "sleep 60 & echo $!; wait"], 0.3, os.environ)
    child = int(result.stdout)
    for _ in range(1000):
        if not _runs(child):
            break
        time.sleep(0.02)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = f"/proc/{pid}/stat"
    return not (os.path.exists(status) and ") Z" in open(status).read())  # an orphan may stay a zombie


def test_a_child_left_in_the_background_does_not_hold_the_answer_up(tmp_path: Path) -> None:
    result = run(["sh", "-c", f"(sleep 30; touch {tmp_path}/over) & echo done"], 300, os.environ)
    assert (result.stdout, (tmp_path / "over").exists()) == ("done\n", False)


def test_the_language_is_c_and_stdin_is_empty() -> None:
    script = "import os, sys; print(os.environ['LC_ALL'], 'LANGUAGE' in os.environ, repr(sys.stdin.read()))"
    result = run([sys.executable, "-c", script], 20, {**os.environ, "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de"})
    assert result.stdout == "C False ''\n"


@pytest.mark.parametrize("script", ["exec yes", "exec yes >&2", "yes | head -c 100000000", "yes & yes"])
@pytest.mark.parametrize("collect", [process._by_pipes, process._by_threads])
def test_a_command_that_prints_without_end_is_killed_and_is_no_answer(
    script: str, collect: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_by_pipes", collect)
    result = run(["sh", "-c", script], 300, os.environ)
    assert (result.stdout, result.stderr) == ("", "it printed more than 16 MiB and was killed")
    assert result.exit_code
    assert not result.timed_out


@pytest.mark.parametrize("collect", [process._by_pipes, process._by_threads])
def test_what_both_ways_of_reading_hear(collect: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_by_pipes", collect)
    result = run(["sh", "-c", "head -c 9000000 /dev/zero; echo no >&2; exit 3"], 300, os.environ)
    assert (len(result.stdout), result.stderr, result.exit_code) == (9000000, "no\n", 3)
    hung = run(["sh", "-c", "echo begun; exec sleep 300"], 0.3, os.environ)
    assert (hung.stdout, hung.exit_code, hung.timed_out) == ("begun\n", None, True)


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert run(["printf", r"a\377b"], 5, os.environ).stdout == "a\ufffdb"
