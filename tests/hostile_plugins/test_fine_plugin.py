"""A stranger's plugin that is as it should be loses nothing by running in a process of its own."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from accel.collect.live import judged, reports
from accel.collect.text import read_texts
from accel.machine.live import LiveMachine
from accel.model.codec import encode_snapshot
from accel.model.snapshot import Snapshot
from accel.model.to_builtins import plain
from accel.plugins import guard
from accel.plugins.registry import Registry
from accel.watch.choose.picking import masker
from accel.watch.holders.gather import Holders
from accel.watch.sampling.engine import Engine

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="strangers' code runs apart only where processes fork")

FINE = '''\
"""A vendor with a record of its own."""
import re
from dataclasses import dataclass, replace
from typing import ClassVar

from accel.model.device import Device, Memory, Process
from accel.model.diagnosis import Remedy
from accel.model.observation import Fact, Noted
from accel.model.report import Driver, Report
from accel.model.environment import Environment
from accel.model.snapshot import Host
from accel.vendors.contract.backend import Mask, Reader, Reading
from accel.vendors.contract.check import Evidence, Problem, applies, check, need
from accel.vendors.contract.hookspecs import hookimpl
from accel.vendors.contract.metric_names import MetricName, MetricNames
from accel.vendors.contract.rule import rule


@dataclass(frozen=True, slots=True, kw_only=True)
class FineDevice(Device):
    identifying: ClassVar[tuple[str, ...]] = ("uuid", "serial", "badge")
    badge: str | None = None
    lanes: int | None = None
    ratio: float = 0.5
    tags: tuple[str, ...] = ()
    twin: Process | None = None


def device(index, **facts):
    return FineDevice(id=f"fine:{index}", index=index, backend="fine", vendor="Fine", kind="npu", name="F1", **facts)


class Backend:
    name, vendor, device_type = "fine", "Fine", FineDevice
    columns = {"fine.lanes": "lanes"}
    metric_names = (
        MetricNames(
            exporter="fine",
            names=(MetricName(name="FINE_W", reading="power_watts", help="watts"),),
            labels=lambda device, host: {"lanes": str(device.lanes), "host": host},
        ),
    )

    def detect(self, machine):
        return True

    def probe(self, machine, request):
        request.progress.calling("list")
        found = (device(0, lanes=4, badge="b0", tags=("x", "y"), power_watts=7.5), device(1, lanes=8))
        request.progress.found(found[0])
        return [Report(backend="fine", source="fine", driver=Driver(version="1.2"), devices=found)]

    def memory(self, machine, device_id):
        return Memory(total_bytes=5)

    def sample(self, machine, devices):
        assert all(isinstance(one, FineDevice) for one in devices), devices
        return [replace(one, power_watts=9.0) for one in devices]

    def processes(self, machine):
        return {"fine:0": (Process(pid=1, name="init"),), "fine:1": None}

    def visible(self, devices, variables):
        assert all(isinstance(one, FineDevice) for one in devices), devices
        mask = variables.get("FINE_VISIBLE")
        shown = None if mask is None else mask.split(",")
        return [replace(one, visible=shown is None or str(one.index) in shown) for one in devices]

    def mask(self, chosen, devices, variables):
        assert isinstance(chosen[0], FineDevice)
        return Mask(environment={"FINE_VISIBLE": ",".join(str(one.index) for one in chosen)})


@hookimpl
def accel_backend():
    return Backend()


def read(text):
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r"FINE (\\d) lanes=(\\d+)", line):
            yield Reading(
                source="fine-smi",
                reports=(
                    Report(backend="fine", source="fine-smi", devices=(device(int(found[1]), lanes=int(found[2])),)),
                ),
                environment=Environment(variables=(("FINE_VISIBLE", "1"),)),
                host=Host(name="box"),
                observations=(Noted(fact="fine-hot", text=line, line=number),),
                first_line=number,
                last_line=number,
            )


@hookimpl
def accel_readers():
    return [Reader(name="fine-smi", signs=("FINE ",), read=read)]


@check(code="ZF001", name="fine-lanes", layer="hardware", severity="warning", needs=("fine.devices.lanes",))
def fine_lanes(facts, specs):
    """Few lanes.

    Why it matters   It is slow.
    """
    for one in facts.of("fine"):
        if isinstance(one, FineDevice) and need(one.lanes, "lanes") < 8:
            yield Problem(
                title=f"{one.id} has {one.lanes} lanes",
                devices=(one.id,),
                evidence=(Evidence(fact="lanes", value=str(one.lanes)),),
                remedies=(Remedy(text="Seat the board again"),),
            )


@check(code="ZF002", name="fine-warm", layer="hardware", reads=("fine-warm",))
def fine_warm(facts, specs):
    if facts.first("fine-warm"):
        yield Problem(title=f"warm, and {len(specs.vendors)} vendors are known")


@check(code="ZF003", name="fine-badge", layer="hardware", needs=("fine.devices.lanes",))
def fine_badge(facts, specs):
    need(facts.of("fine")[-1].badge, "badge")
    yield from ()


@check(code="ZF004", name="fine-never", layer="hardware", needs=("fine.devices.lanes",))
def fine_never(facts, specs):
    applies(False, "never")
    yield from ()


@hookimpl
def accel_checks():
    return [fine_lanes, fine_warm, fine_badge, fine_never]


@rule(gives={"fine-warm": "it is warm"}, triggers=("fine-hot",))
def fine_rule(seen, specs):
    for one in seen.of(Noted):
        yield Fact(name="fine-warm", text=one.text, line=one.line)


@hookimpl
def accel_rules():
    return [fine_rule]
'''
TEXT = "$ fine-smi\nFINE 0 lanes=4\nFINE 1 lanes=8\nRuntimeError: Found no NVIDIA driver on your system.\n"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "accel_fine.py").write_text(FINE, encoding="utf-8")
    folder = tmp_path / "fine_tools-1.0.dist-info"
    folder.mkdir()
    (folder / "entry_points.txt").write_text("[accel.plugins]\nfine = accel_fine\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "accel_fine", raising=False)
    yield tmp_path
    guard.end_all()


def test_a_text_is_read_and_judged_in_its_own_process_as_in_this_one(site: Path) -> None:
    answers = []
    for guarded in (True, False):
        registry = Registry({}, guarded=guarded)
        snapshot = read_texts([("report", TEXT)], registry)
        answers.append((plain(snapshot), plain(judged(snapshot, registry))))
        assert ("accel_fine" in sys.modules) is not guarded
        again = read_texts([("saved", encode_snapshot(snapshot))], registry)
        assert plain(again.reports) == plain(snapshot.reports)
    assert answers[0] == answers[1]
    found = {one["code"] for one in answers[0][1]["findings"]}
    assert {"ZF001", "ZF002"} <= found
    assert [one["wants"] for one in answers[0][1]["undecided"] if one["code"] == "ZF003"] == [["badge"]]
    assert [one["reason"] for one in answers[0][1]["not_applicable"] if one["code"] == "ZF004"] == ["never"]


def test_devices_are_listed_and_judged_with_what_their_record_holds(site: Path) -> None:
    answers = []
    for guarded in (True, False):
        registry = Registry({}, guarded=guarded)
        machine = LiveMachine({"FINE_VISIBLE": "1"})
        found = reports(machine, registry, depth="devices", isolate=True, timeout_seconds=10.0)
        own = tuple(report for report in found if report.backend == "fine")
        diagnosis = judged(Snapshot(origin="live", reports=own), registry)
        told = [one for one in plain(diagnosis.findings) if one["code"] == "ZF001"]
        answers.append((plain(own), told, type(own[0].devices[0]).__name__))
        assert ("accel_fine" in sys.modules) is not guarded
    assert answers[0] == answers[1]
    assert [device["visible"] for device in answers[0][0][0]["devices"]] == [False, True]
    assert answers[0][0][0]["devices"][0]["tags"] == ["x", "y"]
    assert answers[0][1][0]["devices"] == ["fine:0"]


def test_devices_are_chosen_sampled_labelled_and_held(site: Path) -> None:
    registry, machine = Registry({}, guarded=True), LiveMachine()
    found = reports(machine, registry, depth="devices", isolate=True, timeout_seconds=10.0)
    devices = [device for report in found for device in report.devices if device.backend == "fine"]
    assert dict(masker(devices, registry, {})([devices[1]]).environment) == {"FINE_VISIBLE": "1"}
    backend: Any = registry.backend("fine")
    assert backend.memory(machine, "fine:0").total_bytes == 5
    assert backend.processes(machine)["fine:0"][0].name == "init"
    assert [one.power_watts for one in backend.sample(machine, devices)] == [9.0, 9.0]
    assert backend.metric_names[0].labels(devices[0], "box") == {"lanes": "4", "host": "box"}
    assert backend.columns == {"fine.lanes": "lanes"}
    assert Holders(machine, registry.backends_on(machine)) is not None
    with Engine(machine, registry, ["fine:0"], interval_seconds=0.5) as engine:
        assert [one.power_watts for one in engine.take().readings] == [9.0]
    assert "accel_fine" not in sys.modules
