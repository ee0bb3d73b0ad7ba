"""A missed deadline is never an empty answer, nonsense is refused as a deadline, and `configure` holds everywhere."""

import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import accel
from accel.apps import api
from accel.apps.cli import main
from accel.collect.isolate import Probes, Worker
from accel.machine.live import LiveMachine
from accel.model.device import Device
from accel.model.report import Report
from accel.plugins.registry import Registry
from accel.vendors.contract.backend import Request

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="probes fork only on POSIX")

NO_DEADLINES = [0, -1, 0.0, math.nan, math.inf, "5", True]


class Acme:
    """A backend that notes the process it is probed in, and takes its time."""

    name = vendor = "acme"
    device_type = Device

    def __init__(self, folder: Path, wait: Callable[[], object]) -> None:
        self._note, self._wait = folder / "pids", wait

    def detect(self, machine: object) -> bool:
        return True

    def visible(self, devices: Sequence[Device], variables: object) -> Sequence[Device]:
        return devices

    def probe(self, machine: object, request: Request) -> tuple[Report, ...]:
        with self._note.open("a") as note:
            note.write(f"{os.getpid()}\n")
        one = Device(id="acme:0", index=0, backend="acme", vendor="Acme", kind="npu")
        request.progress.calling("open")
        self._wait()
        request.progress.found(one)
        return (Report(backend="acme", source="acme", devices=(one,)),)

    def probed_here(self) -> bool:
        return str(os.getpid()) in self._note.read_text().split()


class OneBackend(Registry):
    """A registry of one backend, and what accel's own has besides."""

    def __init__(self, backend: Any) -> None:
        super().__init__({})
        self.one = backend

    def backends_on(self, machine: object) -> Any:
        return (self.one,)

    def backend(self, name: str) -> Any:
        return self.one

    @property
    def guests(self) -> frozenset[str]:
        return frozenset()


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Acme]]:
    def use(wait: Callable[[], object] = lambda: None) -> Acme:
        backend = Acme(tmp_path, wait)
        registry = OneBackend(backend)
        monkeypatch.setattr(api, "_registry", lambda: registry)
        return backend

    yield use
    accel.configure()


@pytest.mark.parametrize("seconds", NO_DEADLINES)
@pytest.mark.parametrize("call", [accel.devices, accel.accelerators, accel.snapshot, accel.configure])
def test_a_deadline_that_makes_no_sense_is_refused(call: Callable[..., Any], seconds: Any) -> None:
    with pytest.raises(accel.BadInput, match="above 0"):
        call(timeout_seconds=seconds)


@pytest.mark.parametrize("call", [accel.devices, accel.accelerators, accel.snapshot, accel.configure])
def test_a_deadline_in_this_process_is_refused(call: Callable[..., Any]) -> None:
    with pytest.raises(accel.BadInput, match="isolate=False"):
        call(timeout_seconds=5, isolate=False)


ASKED: list[Callable[[], object]] = [accel.devices, accel.accelerators, accel.health, accel.snapshot, accel.doctor]


@pytest.mark.parametrize("call", ASKED, ids=lambda call: call.__name__)
def test_what_is_configured_holds_for_every_call_that_probes(
    call: Callable[[], object], acme: Callable[..., Acme]
) -> None:
    backend = acme()
    accel.configure(isolate=True)
    call()
    assert not backend.probed_here()
    accel.configure()
    call()
    assert backend.probed_here()


@pytest.mark.parametrize("seconds", [1e-6, 0.3])
@pytest.mark.parametrize("call", [accel.devices, accel.accelerators])
def test_a_missed_deadline_is_raised_with_what_is_known(
    call: Callable[..., Any], seconds: float, acme: Callable[..., Acme]
) -> None:
    acme(lambda: time.sleep(60))
    with pytest.raises(accel.DeadlineMissed, match=r"acme.*timeout_seconds") as missed:
        call(timeout_seconds=seconds)
    assert missed.value.devices == ()
    assert [(gap.backend, gap.source) for gap in missed.value.gaps] == [("acme", "time")]


def test_a_missed_deadline_is_a_gap_of_the_snapshot_and_no_fault_of_the_driver(acme: Callable[..., Acme]) -> None:
    acme(lambda: time.sleep(60))
    snapshot = accel.snapshot(timeout_seconds=1e-6)
    (report,) = snapshot.reports
    assert (report.status, report.devices) == ("failed", ())
    assert [(gap.fact, gap.source) for gap in report.gaps] == [("devices", "time")]
    names = [finding.name for finding in accel.doctor(snapshot).findings]
    assert "driver-call-hangs" not in names
    assert "no-accelerator" not in names


def test_a_call_that_hangs_is_named_and_the_devices_are_said_to_be_missing(acme: Callable[..., Acme]) -> None:
    backend: Any = acme(lambda: time.sleep(60))
    (report,) = Probes([Worker(backend, LiveMachine(), "devices", 2.0)]).wait()
    assert {(gap.fact, gap.source) for gap in report.gaps} == {("open", "probe"), ("devices", "time")}


@pytest.mark.parametrize(("words", "code"), [(["doctor"], 3), (["devices"], 1)])
def test_a_command_that_misses_its_deadline_does_not_end_well(
    words: list[str], code: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", open(os.devnull))  # noqa: SIM115
    monkeypatch.setattr("accel.collect.kernel_log.kernel_log", lambda *_: ((), ()))  # this machine's may tell of faults
    assert main([*words, "--timeout", "0.000001"]) == code
    out = capsys.readouterr().out
    assert "did not end within 1e-06 s" in out
    assert "No device was found" not in out


def test_health_forks_no_probe_whose_answer_it_drops(
    acme: Callable[..., Acme], monkeypatch: pytest.MonkeyPatch
) -> None:
    acme()
    accel.configure(isolate=True)
    forks = []
    fork = os.fork
    monkeypatch.setattr(os, "fork", lambda: forks.append(1) or fork())
    assert accel.health() == {"acme:0": "unknown"}
    assert len(forks) == 1


class GrowingBus(LiveMachine):
    """A machine whose PCI bus and clock a test sets."""

    bus, now = "0100\t10de2330\t0\n", 100.0

    def read(self, path: str, limit_bytes: int = 1 << 20) -> str:
        assert path == "/proc/bus/pci/devices"
        return self.bus

    def seconds(self) -> float:
        return self.now


def test_a_board_that_is_added_to_the_bus_is_seen_by_a_process_that_runs() -> None:
    machine = GrowingBus({})
    assert machine.pci_ids() == {"10de:2330"}
    machine.bus += "0200\t1da31060\t0\n"
    machine.now += 60
    assert machine.pci_ids() == {"10de:2330", "1da3:1060"}


def test_backends_that_ask_one_after_another_read_the_bus_once() -> None:
    machine = GrowingBus({})
    first = machine.pci_ids()
    machine.bus = ""
    machine.now += 0.01
    assert machine.pci_ids() is first
