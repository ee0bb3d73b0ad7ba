"""Probes in children: what hangs or dies costs one call, and never more time than the deadline."""

import os
import signal
import time
from collections.abc import Callable, Sequence

import pytest

from accel.backend import Request
from accel.isolate import probe_all
from accel.machine import LiveMachine, Machine
from accel.model.device import Device
from accel.model.report import Report

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="probes fork only on POSIX")


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
    return probe_all(backends, LiveMachine(), "devices", timeout_seconds).wait()  # type: ignore[arg-type]


def hang_at(wanted: int) -> Callable[[int], object]:
    return lambda index: time.sleep(60) if index == wanted else None


def test_a_healthy_probe_gives_its_own_report() -> None:
    (report,) = probe(Acme("acme"))
    assert (report.source, report.status, len(report.devices), report.gaps) == ("acme", "ok", 3, ())


def test_a_call_that_hangs_costs_that_call_and_is_named() -> None:
    start = time.monotonic()
    (report,) = probe(Acme("acme", hang_at(1)))
    assert time.monotonic() - start < 4
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
    start = time.monotonic()
    hung, fine = probe(Acme("hung", start=lambda: time.sleep(60)), Acme("fine"), timeout_seconds=2.0)
    assert time.monotonic() - start < 2.5
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
