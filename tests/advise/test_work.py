"""A program's work is read of this machine, and counters become what happened in between."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from accel.machine.live import LiveMachine
from accel.machine.recorded import RecordedMachine
from accel.model.device import Device
from accel.model.readings import Readings
from accel.model.work import ProcessWork, Work
from accel.watch.advise.steps import steps_of
from accel.watch.sampling.tick import Tick
from accel.watch.sampling.work import WorkOf, program

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
BURN = "import os,sys\nif os.fork()==0:\n while True: pass\nsys.stdout.write('x'); sys.stdout.flush()\nos.wait()"


@pytest.fixture
def burning() -> Iterator[int]:
    """A process that sleeps, and a child of it that computes."""
    variables = {**os.environ, "OMP_NUM_THREADS": "3", "SECRET_TOKEN": "hidden"}
    command = [sys.executable, "-c", BURN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=variables, start_new_session=True) as one:
        assert one.stdout is not None
        assert one.stdout.read(1) == b"x"
        yield one.pid
        os.killpg(one.pid, 9)


@linux
def test_a_child_that_computes_is_seen_and_its_parent_sleeps(burning: int) -> None:
    looking = WorkOf(LiveMachine(), burning)
    before = looking.now(0.0)
    for _ in range(2_000_000):
        pass
    after = looking.now(1.0)
    first, child = after.processes
    assert first.pid == burning
    assert (child.parent_pid, child.running) == (burning, 1)
    assert (first.running, first.threads) == (0, 1)
    assert (child.cpu_seconds or 0) >= (before.processes[1].cpu_seconds or 0)


@linux
def test_what_does_not_change_is_read_without_what_is_nobodys_business(burning: int) -> None:
    found = program(LiveMachine(), burning)
    assert found is not None
    assert found.cpus is not None
    assert found.cpus > 0
    assert found.command is not None
    assert found.command[1] == "-c"
    assert ("OMP_NUM_THREADS", "3") in (found.variables or ())
    assert "hidden" not in str(found.variables)


def test_a_process_that_is_not_there_has_no_work(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    machine = RecordedMachine(tmp_path)
    assert program(machine, 4711) is None
    assert WorkOf(machine, 4711).now(0.0).processes == ()


@pytest.mark.parametrize("text", ["", "71 (a", "71 (a) R", "71 (a) R x y z", "71 (a) " + "9 " * 17, ") ) ) 1 2 3"])
def test_a_strange_stat_file_is_no_process(tmp_path: Path, text: str) -> None:
    (tmp_path / "files/proc/71").mkdir(parents=True)
    (tmp_path / "files/proc/71/stat").write_text(text)
    assert WorkOf(RecordedMachine(tmp_path), 71).now(0.0).processes in ((),) or text.startswith("71 (a) 9")


def _tick(seconds: float) -> Tick:
    device = Device(id="acme:0", index=0, backend="acme", vendor="Acme", kind="npu")
    readings = (Readings(id="acme:0", busy_percent=50.0),)
    return Tick(number=int(seconds), seconds=seconds, time=seconds, devices=(device,), readings=readings)


def _process(cpu: float, read: int) -> ProcessWork:
    return ProcessWork(pid=7, cpu_seconds=cpu, thread_seconds=((7, cpu / 2), (8, cpu / 2)), read_bytes=read)


def test_rates_are_differences_and_a_counter_that_begins_again_is_not_known() -> None:
    works = [
        Work(
            seconds=float(n),
            processes=(_process(cpu, read),),
            stalled_io_seconds=n * 0.25,
            periods=10 * n,
            throttled_periods=4 * n,
        )
        for n, (cpu, read) in enumerate(((1.0, 100), (3.0, 300), (3.5, 50)))
    ]
    first, second = steps_of([_tick(0.0), _tick(1.0), _tick(2.0)], works, ["acme:0"])
    assert first.processes is not None
    assert (first.processes[0].cores, first.processes[0].busiest_thread) == (2.0, 1.0)
    assert (first.processes[0].read_bytes_per_second, first.stalled_io, first.throttled) == (200.0, 0.25, 0.4)
    assert second.processes is not None
    assert (second.processes[0].cores, second.processes[0].read_bytes_per_second) == (0.5, None)


def test_ticks_without_work_tell_of_the_devices_alone() -> None:
    steps = steps_of([_tick(0.0), _tick(1.0)], (), ["acme:0"])
    assert [(step.length, step.processes) for step in steps] == [(1.0, None)]
    assert steps[0].readings["acme:0"].busy_percent == 50.0
