"""A process group is signalled only while its leader's number is still its own: before it is reaped."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from accel.collect.isolate import Probes, Worker
from accel.machine.live import LiveMachine
from accel.model.report import Report
from accel.plugins.guard import Fault, once
from accel.vendors.contract.backend import Request
from accel.watch.sampling.feed import Feed, FeedEnded

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc says who is in the process table")


@pytest.fixture(autouse=True)
def late(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Note the groups that were signalled after their leader had left the process table."""
    late: list[int] = []
    killpg = os.killpg

    def noted(group: int, number: int) -> None:
        try:
            killpg(group, number)
        except ProcessLookupError:
            if number and not Path(f"/proc/{group}").exists():
                late.append(group)
            raise

    monkeypatch.setattr(os, "killpg", noted)
    yield late
    assert late == []


class Acme:
    """A backend whose probe does what is wanted."""

    name = vendor = "acme"

    def __init__(self, act: Any) -> None:
        self._act = act

    def probe(self, machine: object, request: Request) -> tuple[Report, ...]:
        request.progress.calling("open")
        self._act()
        return (Report(backend="acme", source="acme"),)


def worker(act: Any) -> Worker:
    backend: Any = Acme(act)
    return Worker(backend, LiveMachine(), "devices", 30.0)


def test_a_probe_that_dies_is_reported_and_not_signalled_late() -> None:
    (report,) = Probes([worker(lambda: os.kill(os.getpid(), signal.SIGKILL))]).wait()
    assert "ended the probing process (SIGKILL)" in report.gaps[0].reason


def test_an_interruption_signals_no_probe_that_has_ended() -> None:
    done, hanging = worker(lambda: None), worker(lambda: time.sleep(600))
    Probes([done]).wait()
    Probes([done]).reap()
    hanging.take = interrupted  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        Probes([done, hanging]).wait()
    with pytest.raises(ChildProcessError):  # it was reaped; another process may have its number by now
        os.waitpid(done.child.pid, os.WNOHANG)


def interrupted() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("act", [lambda: None, lambda: os._exit(3)])
def test_trying_a_plugin_signals_no_child_that_has_ended(act: Any) -> None:
    with suppress(Fault):
        once(lambda: act() or b"", 60)


def test_a_process_that_a_plugin_leaves_is_killed(tmp_path: Path) -> None:
    note = tmp_path / "pid"

    def leave() -> bytes:
        if (pid := os.fork()) == 0:
            time.sleep(600)
        note.write_text(str(pid))
        return b""

    with pytest.raises(Fault, match="left a process running"):
        once(leave, 60)
    left = Path(f"/proc/{note.read_text()}/stat")

    def has_ended() -> bool:
        try:
            return left.read_text().rpartition(")")[2].split()[0] == "Z"
        except OSError:  # it is out of the process table
            return True

    for _ in range(6000):
        if has_ended():
            break
        time.sleep(0.01)
    assert has_ended()


def test_a_sampling_process_that_dies_is_not_signalled_late() -> None:
    class Registry:
        guests: frozenset[str] = frozenset()

        def backends_on(self, machine: object) -> Any:
            os._exit(3)

    registry: Any = Registry()
    with pytest.raises(FeedEnded, match="exit 3"):
        Feed.started(LiveMachine(), registry)
