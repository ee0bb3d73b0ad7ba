"""Probes in children: what hangs or dies costs one call, and never more time than the deadline."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from accel.collect.isolate import Probes, Worker
from accel.machine.live import LiveMachine
from accel.machine.protocol import Machine
from accel.model.device import Device
from accel.model.report import Report
from accel.vendors.contract.backend import Request

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="probes fork only on POSIX")]


class Acme:
    """A backend of three devices whose reading of one may misbehave."""

    vendor = "Acme"

    def __init__(self, name: str, trouble: Callable[[int], object] = lambda index: None, start: object = None) -> None:
        self.name = name
        self._trouble = trouble
        self._start = start

    def probe(self, machine: Machine, request: Request) -> Sequence[Report]:
        request.progress.calling("open")
        if callable(self._start) and ("open", None) not in request.skip:
            self._start()
        devices = []
        for index in range(3):
            device_id = f"{self.name}:{index}"
            power = None
            if ("power", device_id) not in request.skip:
                request.progress.calling("power", device_id)
                self._trouble(index)
                power = 50.0
            device = Device(id=device_id, index=index, backend=self.name, vendor="Acme", kind="gpu", power_watts=power)
            request.progress.found(device)
            devices.append(device)
        return [Report(backend=self.name, source="acme", devices=tuple(devices))]


def probe(*backends: Acme, timeout_seconds: float = 6.0) -> tuple[Report, ...]:
    return Probes([Worker(b, LiveMachine(), "devices", timeout_seconds) for b in backends]).wait()  # type: ignore[arg-type]


def hang_at(wanted: int) -> Callable[[int], object]:
    return lambda index: time.sleep(60) if index == wanted else None


def test_a_healthy_probe_gives_its_own_report() -> None:
    (report,) = probe(Acme("acme"))
    assert (report.source, report.status, len(report.devices), report.gaps) == ("acme", "ok", 3, ())


def test_a_call_that_hangs_costs_that_call_and_is_named() -> None:
    (report,) = probe(Acme("acme", hang_at(1)))
    assert [d.power_watts for d in report.devices] == [50.0, None, 50.0]
    (gap,) = report.gaps
    assert (gap.fact, gap.device) == ("power", "acme:1")
    assert "did not return" in gap.reason
    assert report.status == "partial"


@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGSEGV])
def test_a_call_that_kills_its_process_costs_that_call(number: signal.Signals) -> None:
    def die(index: int) -> None:
        if index == 2:
            os.kill(os.getpid(), number)

    (report,) = probe(Acme("acme", die))
    assert [d.power_watts for d in report.devices] == [50.0, 50.0, None]
    assert number.name in report.gaps[0].reason


def test_a_start_that_hangs_ends_before_the_deadline_and_the_others_are_there() -> None:
    hung, fine = probe(Acme("hung", start=lambda: time.sleep(60)), Acme("fine"), timeout_seconds=2.0)
    assert len(fine.devices) == 3
    assert hung.gaps[0].fact == "open"


def test_what_had_arrived_is_kept_when_time_runs_out() -> None:
    (report,) = probe(Acme("acme", hang_at(2)), timeout_seconds=1.0)
    assert [d.id for d in report.devices] == ["acme:0", "acme:1"]
    assert report.status == "partial"
    assert report.gaps


def test_a_probe_that_raises_is_a_gap() -> None:
    def broken(index: int) -> None:
        raise RuntimeError("half a driver")

    (report,) = probe(Acme("acme", broken))
    assert report.status == "failed"
    assert "half a driver" in report.gaps[0].reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Handled(Device):
    """A device that holds what cannot leave its process."""

    handle: object = None


class Unmade:
    """What is sent well and cannot be made again."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (int, ("no number",))


class Holding(Acme):
    """A backend whose second report's device holds a handle."""

    def __init__(self, name: str, handle: object) -> None:
        super().__init__(name)
        self._handle = handle

    def probe(self, machine: Machine, request: Request) -> Sequence[Report]:
        (first,) = super().probe(machine, request)
        held = Handled(id=f"{self.name}:7", index=7, backend=self.name, vendor="Acme", kind="gpu", handle=self._handle)
        return [first, replace(first, source="driver", devices=(held,))]


def test_a_report_that_cannot_be_sent_is_named_and_costs_only_itself() -> None:
    first, second = probe(Holding("acme", lambda: None))
    assert (first.source, first.status, len(first.devices), first.gaps) == ("acme", "ok", 3, ())
    assert (second.source, second.status, second.devices) == ("probe", "failed", ())
    (gap,) = second.gaps
    assert gap.reason.startswith("its report cannot be sent: ")
    assert "lambda" in gap.reason
    assert "start" not in gap.reason


def test_a_report_that_cannot_be_read_again_is_named_and_the_devices_that_arrived_are_kept() -> None:
    acme, fine = probe(Holding("acme", Unmade()), Acme("fine"))
    assert len(fine.devices) == 3
    assert ([d.index for d in acme.devices], acme.status) == ([0, 1, 2], "partial")
    (gap,) = acme.gaps
    assert gap.reason.startswith("its report cannot be read: ValueError: ")


class Guest(Acme):
    """A backend that is asked in its child whether it is here."""

    def __init__(
        self, name: str, here: Callable[[], bool], trouble: Callable[[int], object] = lambda index: None
    ) -> None:
        super().__init__(name, trouble)
        self._here = here

    def detect(self, machine: Machine) -> bool:
        return self._here()


def asked(*backends: Acme, timeout_seconds: float = 6.0) -> tuple[Report, ...]:
    machine = LiveMachine()
    workers = [Worker(b, machine, "devices", timeout_seconds, isinstance(b, Guest)) for b in backends]  # type: ignore[arg-type]
    return Probes(workers).wait()


def test_a_guest_that_is_not_here_reports_nothing_and_one_that_is_here_reports_its_devices() -> None:
    (report,) = asked(Guest("away", lambda: False), Guest("here", lambda: True))
    assert (report.backend, report.status, len(report.devices), report.gaps) == ("here", "ok", 3, ())


def hang() -> bool:
    time.sleep(60)
    return True


def spin() -> bool:
    import ctypes

    ctypes.PyDLL(None).usleep(60_000_000)  # holds the interpreter's lock: no thread and no signal gets through
    return True


def die() -> bool:
    os.abort()


@pytest.mark.parametrize(
    ("detect", "words"), [(hang, "did not return within"), (spin, "did not return within"), (die, "SIGABRT")]
)
def test_a_detect_that_hangs_or_dies_costs_its_plugin_and_the_others_are_there(
    detect: Callable[[], bool], words: str
) -> None:
    bad, fine = asked(Guest("bad", detect), Acme("fine"), timeout_seconds=2.0)
    assert len(fine.devices) == 3
    assert (bad.status, bad.devices) == ("failed", ())
    (gap,) = bad.gaps
    assert gap.fact == "detect"
    assert words in gap.reason


def test_a_detect_that_raises_is_a_gap() -> None:
    def odd() -> bool:
        raise RuntimeError("bus is odd")

    (report,) = asked(Guest("odd", odd))
    assert report.status == "failed"
    assert [(gap.fact, gap.reason) for gap in report.gaps] == [("detect", "RuntimeError: bus is odd")]


def test_a_call_that_hangs_after_detect_is_named_and_detect_is_not_asked_again(tmp_path: Path) -> None:
    asks = tmp_path / "asks"

    def here() -> bool:
        with asks.open("a") as file:
            file.write("x")
        return True

    (report,) = asked(Guest("acme", here, hang_at(1)))
    assert [d.power_watts for d in report.devices] == [50.0, None, 50.0]
    assert [gap.fact for gap in report.gaps] == ["power"]
    assert asks.read_text() == "x"


def _children() -> set[int]:
    """Return the processes whose parent is this one, ended or not: other tests may keep some."""
    stats = (Path(f"/proc/{name}/stat") for name in os.listdir("/proc") if name.isdigit())
    found = set()
    for stat in stats:
        with suppress(OSError):
            pid, _, rest = stat.read_text(errors="replace").partition(" ")
            found |= {int(pid)} if int(rest.rpartition(") ")[2].split()[1]) == os.getpid() else set()
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the process table is not in /proc")
def test_no_child_of_a_probe_stays_in_the_process_table() -> None:
    before = _children()
    for backend in (Acme("acme"), Acme("hung", hang_at(1))):
        probes = Probes([Worker(backend, LiveMachine(), "devices", 6.0)])  # type: ignore[arg-type]
        probes.wait()
        probes.reap()
        assert _children() <= before
