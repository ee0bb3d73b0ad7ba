"""In a process with more than 1,023 open files everything that waits for a descriptor still works."""

import os
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from accel.apps.cli import source
from accel.apps.cli.stopping import Stop
from accel.collect.isolate import Probes, Worker
from accel.kit import caller
from accel.machine import kill_with_parent as lifeline
from accel.machine import process, signals
from accel.machine.descriptors import readable
from accel.machine.live import LiveMachine
from accel.model.device import Device
from accel.model.readings import Readings
from accel.model.report import Report
from accel.plugins.guard import Fault, once
from accel.specs import load
from accel.vendors.contract.backend import Request
from accel.vendors.contract.watching import Wanted
from accel.watch.sampling.feed import Feed

resource = pytest.importorskip("resource", reason="Windows counts handles, not descriptors")
_SELECT_LIMIT = 1024
_MOST = 1200


@pytest.fixture(autouse=True)
def many_open() -> Iterator[None]:
    """Open files until every further descriptor has a number that select() refuses."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < _MOST:
        pytest.skip(f"the hard limit for open files is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, _MOST), hard))
    opened = [os.open(os.devnull, os.O_RDONLY)]
    while opened[-1] < _SELECT_LIMIT:
        opened.append(os.open(os.devnull, os.O_RDONLY))
    try:
        yield
    finally:
        for descriptor in opened:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    assert read > _SELECT_LIMIT
    yield read, write
    os.close(read)


class Acme:
    """A backend with one device."""

    name = vendor = "acme"

    def probe(self, machine: object, request: Request) -> tuple[Report, ...]:
        return (Report(backend="acme", source="acme", devices=(self.device(),)),)

    def device(self) -> Device:
        return Device(id="acme:0", index=0, backend="acme", vendor="Acme", kind="gpu")


def test_a_descriptor_is_readable_once_something_is_written(pipe: tuple[int, int]) -> None:
    read, write = pipe
    assert readable([read], 0) == []
    os.write(write, b"x")
    assert readable([read], 60) == [read]
    os.close(write)


def test_a_descriptor_whose_writer_has_gone_is_readable(pipe: tuple[int, int]) -> None:
    read, write = pipe
    os.close(write)
    assert readable([read], 60) == [read]
    assert os.read(read, 1) == b""


def test_devices_are_probed_in_children() -> None:
    backends: Any = (Acme(),)
    (report,) = Probes([Worker(b, LiveMachine(), "devices", 30.0) for b in backends]).wait()
    assert [device.id for device in report.devices] == ["acme:0"]


def test_a_command_is_run() -> None:
    done = process.run([sys.executable, "-c", "print('done')"], 60, dict(os.environ))
    assert done.stdout == "done\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a group to a process")
def test_a_process_group_is_tied() -> None:
    tied = lifeline.KillWithParent()
    sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
    with subprocess.Popen(sleeper, start_new_session=True, pass_fds=(tied.reader,)) as child:
        tied.tie(child.pid)
        tied.let_go()
        assert child.wait(60) == -9


def test_code_that_may_harm_answers_from_a_child() -> None:
    assert once(lambda: b"done", 60) == b"done"
    with pytest.raises(Fault, match=r"ended the process that tried it \(exit 3\)"):
        once(lambda: os._exit(3), 60)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="no pidfd")
def test_the_end_of_a_process_is_waited_for() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        target = signals.Target(child.pid, lambda: True)
        assert target.ends_within(60)
        target.close()


def test_a_sampling_process_sends_its_ticks() -> None:
    class Sampled(Acme):
        device_type = Device

        def detect(self, machine: object) -> bool:
            return True

        def visible(self, devices: Any, variables: object) -> Any:
            return devices

        def readings(self, machine: object, devices: Any, wanted: Wanted) -> list[Readings]:
            return [Readings(id=one.id, busy_percent=5.0) for one in devices]

    sampled = Sampled()
    registry: Any = SimpleNamespace(
        guests=frozenset(),
        backends_on=lambda machine: (sampled,),
        backend=lambda name: sampled,
        specs=load(environment={}),
    )
    with Feed.started(LiveMachine(), registry, interval_seconds=0.1) as feed:
        tick = feed.next(60)
    assert tick is not None
    assert [(one.id, one.busy_percent) for one in tick.readings] == [("acme:0", 5.0)]


def test_the_kit_calls_a_plugin_in_a_fork(pipe: tuple[int, int]) -> None:
    read, write = pipe
    pid = os.fork()
    if pid == 0:
        caller._told(lambda: ["yes"], write)
    os.close(write)
    assert caller._heard(os.dup(read), pid) is not None


def test_watching_is_ended_by_a_signal() -> None:
    with Stop() as stop, subprocess.Popen([sys.executable, "-c", f"import os; os.kill({os.getpid()}, 15)"]):
        assert stop.waited(60)


def test_a_report_on_stdin_is_seen(pipe: tuple[int, int]) -> None:
    read, write = pipe
    os.write(write, b"torch 2.4\n")
    with os.fdopen(os.dup(read), "r") as stream:
        assert source._holds_text(stream)
    os.close(write)
