"""Each metric is what its name says; what is not known has no sample; every name is documented."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from accel.apps.serve.http import Request
from accel.apps.serve.metrics import Metrics, gauges
from accel.apps.serve.routes import Routes
from accel.apps.serve.state import State, readings_answer
from accel.machine.recorded import RecordedMachine
from accel.model.device import Device
from accel.model.readings import ProcessReadings, Readings, without_readings
from accel.watch.sampling.tick import Happening, Tick

pytest.importorskip("prometheus_client")
DEVICES = tuple(
    Device(id=f"acme:{n}", index=n, backend="acme", vendor="Acme", kind="npu", name='N1 "x"\\', uuid=f"A-{n}")
    for n in (0, 1)
)
FULL = Readings(
    id="acme:0",
    uuid="A-0",
    busy_percent=97.0,
    memory_used_bytes=2**30,
    energy_joules=12.5,
    clock_mhz=1980,
    clock_event_reasons=("sw-power-cap",),
    processes=(ProcessReadings(pid=7, name="训练", user="ann", memory_bytes=2**20, busy_percent=50.0),),
    health="warning",
)


def _state(tmp_path: Path, *readings: Readings, happenings: tuple[Happening, ...] = ()) -> State:
    (tmp_path / "files").mkdir(exist_ok=True)
    state = State(RecordedMachine(tmp_path), (), 1.0)
    devices = DEVICES[: len(readings)]
    state.take(Tick(number=0, seconds=0.0, time=1.7e9, devices=devices, readings=readings, happenings=happenings), 5.0)
    return state


def _samples(state: State, accept: str = "", **options: Any) -> dict[str, float]:
    text = Metrics(state, options.pop("names", ()), "node7", options.pop("processes", False)).text(accept)[0].decode()
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines() if line[0] != "#"}


def test_units_are_those_of_the_names_and_labels_tell_the_device(tmp_path: Path) -> None:
    samples = _samples(_state(tmp_path, FULL))
    own = '{device="acme:0",name="N1 \\"x\\"\\\\",parent="",uuid="A-0",vendor="Acme"}'
    assert samples[f"accel_device_busy_ratio{own}"] == 0.97
    assert samples[f"accel_device_memory_used_bytes{own}"] == 2**30
    assert samples[f"accel_device_clock_hertz{own}"] == 1.98e9
    assert samples[f"accel_device_energy_joules_total{own}"] == 12.5
    assert samples[f"accel_device_processes{own}"] == 1.0


def test_what_is_not_known_has_no_sample(tmp_path: Path) -> None:
    samples = _samples(_state(tmp_path, FULL, without_readings(DEVICES[1], "gone")))
    about = {name for name in samples if 'device="acme:1"' in name}
    assert {name.partition("{")[0] for name in about} == {"accel_device_state", "accel_device_health"}
    assert [samples[name] for name in about if 'state="gone"' in name] == [1.0]
    assert not any("power_watts" in name or "saturated" in name for name in samples)


def test_processes_have_series_only_where_that_is_asked_for(tmp_path: Path) -> None:
    state = _state(tmp_path, FULL)
    assert not any(name.startswith("accel_process_") for name in _samples(state))
    state = _state(tmp_path, FULL)
    samples = _samples(state, processes=True)
    assert [value for name, value in samples.items() if name.startswith("accel_process_busy_ratio{")] == [0.5]
    assert any('process="训练"' in name and 'user="ann"' in name for name in samples)


def test_happenings_and_findings_are_counted(tmp_path: Path) -> None:
    state = _state(tmp_path, FULL, happenings=(Happening(kind="gone", text="it is away", device="acme:0"),))
    finding = {"code": "XX001", "name": "device-hot", "severity": "warning", "devices": ["acme:0", "acme:1"]}
    state.judge({"findings": [finding, finding]}, 1.7e9)
    samples = _samples(state)
    assert samples['accel_happenings_total{device="acme:0",kind="gone"}'] == 1.0
    assert sum(name.startswith('accel_finding{code="XX001"') for name in samples) == 2


def test_each_form_is_made_once_a_tick_and_anew_after_the_next(tmp_path: Path) -> None:
    state = _state(tmp_path, FULL)
    metrics = Metrics(state, (), "node7", False)
    plain, kind = metrics.text("")
    assert metrics.text("")[0] is plain
    assert kind.startswith("text/plain")
    state.take(Tick(number=1, seconds=1.0, time=1.7e9, devices=DEVICES[:1], readings=(FULL,)), 6.0)
    asyncio.run(metrics.refresh())
    assert b"accel_ticks_total 1.0" in plain
    assert b"accel_ticks_total 2.0" in metrics.text("")[0]


def test_where_no_ticks_come_any_more_no_device_is_well(tmp_path: Path) -> None:
    state = _state(tmp_path, FULL, without_readings(DEVICES[1], "hung"))
    assert not state.expire(6.0)
    assert state.expire(5.0 + 3 * 1.0 + 5 + 1)
    assert not state.expire(99.0)
    samples = _samples(state)
    assert any('state="late"' in name and value for name, value in samples.items() if "acme:0" in name)
    assert not any('state="ok"' in name and value for name, value in samples.items())
    assert any('state="hung"' in name and value for name, value in samples.items() if "acme:1" in name)
    assert not any(name.startswith("accel_device_busy_ratio") for name in samples)
    assert b'"late"' in readings_answer(state)


@pytest.mark.parametrize(
    "accept", ["text/plain;version=x", "application/openmetrics-text; version=1.x", "\xff;;==", "*/*"]
)
def test_whatever_is_accepted_is_answered(tmp_path: Path, accept: str) -> None:
    state = _state(tmp_path, FULL)
    routes = Routes(state, Metrics(state, (), "node7", False), lambda: 5.0)
    status = routes.answer(Request(method="GET", path="/metrics", headers={"accept": accept})).status
    assert status in (200, 400)


def test_openmetrics_is_one_document(tmp_path: Path) -> None:
    text = Metrics(_state(tmp_path, FULL), (), "node7", False).text("application/openmetrics-text; version=1.0.0")[0]
    assert text.endswith(b"# EOF\n")
    assert text.count(b"# EOF") == 1
    assert b"accel_device_busy_ratio{" in text


def test_every_metric_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`(accel_\w+)`", page))
    source = (Path(__file__).parents[2] / "src/accel/apps/serve/metrics.py").read_text(encoding="utf-8")
    named = set(re.findall(r'"(accel_[a-z_]+)"', source)) | {name for name, *_ in gauges()}
    endings = {"accel_build": "_info", "accel_ticks": "_total", "accel_happenings": "_total"}
    named = {f"{name}{endings.get(name, '')}" for name in named} - {"accel_device_energy_joules"}
    assert named | {"accel_device_energy_joules_total"} == documented
