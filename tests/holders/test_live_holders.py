"""Real processes of the machine that runs the tests: looked up, found by what they have open, and ended."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from accel.machine.live import LiveMachine
from accel.model.holding import RunningProcess
from accel.watch.holders.ending import end, is_own
from accel.watch.holders.gather import Holders
from accel.watch.holders.processes import ProcessBook

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="this system has no /proc of Linux")

_WAITS = "import sys, time; held = [open(p) for p in sys.argv[1:]]; print('ready', flush=True); time.sleep(120)"
_STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + _WAITS


def started(code: str, *words: str, **variables: str) -> "subprocess.Popen[str]":
    child = subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=subprocess.PIPE, text=True, env={**os.environ, **variables}
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


@pytest.fixture
def child() -> "Iterator[subprocess.Popen[str]]":
    process = started(_WAITS, SLURM_JOB_ID="71", RAY_JOB_ID="02000000")
    yield process
    process.kill()
    process.wait()


def known(pid: int) -> RunningProcess:
    found = ProcessBook(LiveMachine()).of(pid)
    assert found is not None
    return found


def test_a_real_process_is_known(child: "subprocess.Popen[str]") -> None:
    import getpass

    found = known(child.pid)
    assert found.command is not None
    assert (found.command[0], found.parent_pid) == (sys.executable, os.getpid())
    assert found.state in ("sleeping", "running")  # it may be on its way
    assert found.user in (getpass.getuser(), str(os.getuid()))
    assert found.ray_job == "02000000"
    assert found.threads == 1
    assert found.started_at is not None
    assert known(os.getpid()).started_at is not None
    assert known(os.getpid()).start_ticks <= (found.start_ticks or 0)  # type: ignore[operator]


def test_a_process_that_holds_a_node_is_found(acme: SimpleNamespace, tmp_path: Path) -> None:
    node = tmp_path / "dev" / "acme0"
    node.parent.mkdir()
    node.touch()
    child = started(_WAITS, str(node))
    try:
        listed = Holders(LiveMachine(), [acme.BACKEND])
        listed.nodes.here = lambda machine: True  # type: ignore[method-assign]
        held = [holder for holder in listed.of([acme.device(0, ())]).holders if holder.process.pid == child.pid]
        assert [(holder.device, holder.listed, holder.nodes) for holder in held] == [("acme:0", False, ("/dev/acme0",))]
    finally:
        child.kill()
        child.wait()


def test_a_zombie_is_one(child: "subprocess.Popen[str]") -> None:
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert known(child.pid).state == "zombie"
    child.wait()
    assert ProcessBook(LiveMachine()).of(child.pid) is None


def test_a_process_ends_when_asked_and_a_stubborn_one_is_killed(child: "subprocess.Popen[str]") -> None:
    stubborn = started(_STUBBORN)
    try:
        became = end(LiveMachine(), [known(child.pid), known(stubborn.pid)], grace_seconds=0.2)
        assert [one.outcome for one in became] == ["ended", "killed"]
        assert (child.wait(), stubborn.wait()) == (-15, -9)
    finally:
        stubborn.kill()
        stubborn.wait()


def test_another_process_of_the_same_number_is_not_touched(child: "subprocess.Popen[str]") -> None:
    other = replace(known(child.pid), start_ticks=1)
    assert [one.outcome for one in end(LiveMachine(), [other], 0.1)] == ["gone"]
    assert child.poll() is None


def test_what_accel_has_started_is_its_own_and_what_it_runs_below_is_not() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        pids = [child.pid, os.getpid(), os.getppid(), 0x7FFFFFFF]
        assert [is_own(LiveMachine(), pid) for pid in pids] == [True, False, False, False]
    finally:
        child.kill()
        child.communicate()


def test_accel_does_not_end_itself_nor_what_it_runs_below() -> None:
    family = [known(os.getpid()), known(os.getppid())]
    assert [one.outcome for one in end(LiveMachine(), family, 0.1)] == ["spared", "spared"]
