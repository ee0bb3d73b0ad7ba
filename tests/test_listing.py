"""`accel devices --json` without records: the same values as with them, and the same deadlines."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from accel.collect.isolate import Probes, Worker
from accel.collect.listing import listed
from accel.machine.live import LiveMachine
from accel.machine.protocol import Machine
from accel.model.device import Device
from accel.model.report import Report
from accel.model.rows import DEVICE_FIELDS, device_row
from accel.model.to_builtins import plain
from accel.vendors.contract.backend import Request

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="probes fork only on POSIX")


class Acme:
    """A backend of one device, whose power is asked unless that is to be left out."""

    name = "acme"
    vendor = "Acme"

    def probe(self, machine: Machine, request: Request) -> list[Report]:
        power = None if ("power", "acme:0") in request.skip else 50.0
        device = Device(id="acme:0", index=0, backend="acme", vendor="Acme", kind="gpu", power_watts=power)
        return [Report(backend="acme", source="acme", devices=(device,))]


def probed(lister: Any) -> Worker:
    worker = Worker(Acme(), LiveMachine(), "devices", 8.0, lister=lister)  # type: ignore[arg-type]
    Probes([worker]).wait()
    return worker


def listing_of(**facts: Any) -> dict[str, Any]:
    known = {"id": "acme:0", "index": 0, "backend": "acme", "vendor": "Acme", "kind": "gpu"}
    return {"source": "acme", "devices": [device_row({**known, **facts})], "gaps": []}


def test_a_row_has_the_fields_of_the_record_in_their_order() -> None:
    assert tuple(field.name for field in fields(Device)) == DEVICE_FIELDS


def test_the_row_of_a_device_is_the_record_as_json_has_it() -> None:
    facts: dict[str, Any] = {"id": "acme:0", "index": 0, "backend": "acme", "vendor": "Acme", "kind": "gpu"}
    assert list(device_row(facts).items()) == list(plain(Device(**facts)).items())


def test_a_listing_arrives_as_it_was_made() -> None:
    worker = probed(lambda machine, progress, seconds: listing_of(name="A1", runtime_names=("acme:0",)))
    assert worker.reports == ()
    assert worker.listing == listing_of(name="A1", runtime_names=("acme:0",))


@pytest.mark.parametrize("answer", [None, ValueError("broken"), "what marshal refuses"])
def test_a_plugin_that_cannot_list_is_probed(answer: object) -> None:
    def lister(machine: Machine, progress: object, seconds: float) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer and {"source": "acme", "devices": [object()], "gaps": []}

    worker = probed(lister)
    assert worker.listing is None
    assert worker.reports
    assert [device.power_watts for device in worker.reports[0].devices] == [50.0]


def test_a_call_that_hangs_while_listing_costs_its_fact() -> None:
    def lister(machine: Machine, progress: Any, seconds: float) -> Any:
        progress.calling("power", "acme:0")
        time.sleep(60)

    worker = probed(lister)
    assert worker.listing is None
    assert worker.reports
    (report,) = worker.reports
    assert [device.power_watts for device in report.devices] == [None]
    assert [(gap.fact, gap.device, gap.source) for gap in report.gaps] == [("power", "acme:0", "probe")]


@pytest.mark.parametrize("variables", [{"ACCEL_PLUGINS": "accel_acme"}, {"ACCEL_SPECS": "/nowhere"}])
def test_what_a_variable_adds_is_not_listed(variables: Mapping[str, str]) -> None:
    assert listed(LiveMachine({**os.environ, **variables}), 8.0) is None


def test_the_processor_is_listed_as_it_is_probed() -> None:
    from accel_cpu.backend import CpuBackend
    from accel_cpu.listing import listing

    machine = LiveMachine()
    report = CpuBackend().probe(machine, Request())[0]
    found = listing(machine, Request().progress)
    if found is None:  # something is not known here, and the probe says what
        assert report.gaps or report.observations or machine.system != "linux"
        return
    changing = ("memory_used_bytes", "memory_free_bytes")
    (row,), (record,) = found["devices"], plain(report)["devices"]
    assert list(row) == list(record)
    assert {k: v for k, v in plain(row).items() if k not in changing} == {
        k: v for k, v in record.items() if k not in changing
    }
    assert found["source"] == report.source


def test_json_needs_no_record_where_all_can_be_listed() -> None:
    """Run the command in a process of its own: what it has loaded at its end tells which way it took."""
    script = (
        "import sys; from accel.apps.cli import main; code = main(['devices', '--json'])\n"
        "print([name for name in ('dataclasses', 'pluggy', 'inspect') if name in sys.modules], file=sys.stderr)\n"
    )
    names = {"ACCEL_PLUGINS": "", "ACCEL_SPECS": "", "ACCEL_DISABLE": _all_but("cpu"), "ACCEL_LOG": ""}
    done = subprocess.run([sys.executable, "-c", script], env={**os.environ, **names}, capture_output=True, text=True)
    assert json.loads(done.stdout)["devices"][0]["id"] == "cpu:0"
    assert done.stderr.splitlines()[-1] == "[]"


def _all_but(name: str) -> str:
    plugins = Path(__file__).parent.parent / "plugins"
    return ",".join(sorted(folder.name for folder in plugins.iterdir() if folder.name != name))
