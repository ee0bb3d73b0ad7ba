"""The live backend of Macs, on made-up machines."""

from dataclasses import replace
from pathlib import Path

import yaml
from accel_apple import VENDOR
from accel_apple.model import AppleDevice

from accel.machine.recorded import RecordedMachine
from accel.vendors.contract.backend import Request
from accel.vendors.toolkit.vendor_backend import VendorBackend

MACHINES = Path(__file__).parent / "machines"
BACKEND = VendorBackend(VENDOR)


def test_an_apple_gpu_has_the_machines_memory() -> None:
    machine = RecordedMachine(MACHINES / "m3")
    assert BACKEND.detect(machine)
    (report,) = BACKEND.probe(machine, Request())
    (device,) = report.devices
    assert isinstance(device, AppleDevice)
    assert (device.name, device.core_count, device.architecture) == ("Apple M3 Max", 40, "apple_m3")
    assert device.memory_total_bytes == device.unified_memory_bytes == 64 * 2**30
    assert device.memory_used_bytes is None
    assert {gap.fact for gap in report.gaps} == {
        "utilization_percent", "memory_used_bytes", "power_watts", "temperature_celsius", "health"
    }  # fmt: skip
    (shown,) = BACKEND.visible(report.devices, {})
    assert (shown.visible, shown.runtime_names) == (True, ("mps:0",))
    memory = BACKEND.memory(machine, "apple:0")
    assert memory is not None
    assert memory.total_bytes == 64 * 2**30
    assert BACKEND.memory(machine, "apple:1") is None
    assert list(BACKEND.sample(machine, report.devices)) == list(report.devices)
    assert BACKEND.processes(machine) == {}


def test_what_changes_is_read_from_ioreg_each_time() -> None:
    machine = RecordedMachine(MACHINES / "healthy")
    (report,) = BACKEND.probe(machine, Request())
    (device,) = report.devices
    assert (device.utilization_percent, device.memory_used_bytes) == (21, 2**30)
    assert {gap.fact for gap in report.gaps} == {"power_watts", "temperature_celsius", "health"}
    (sampled,) = BACKEND.sample(machine, [replace(device, utilization_percent=99.0)])
    assert sampled.utilization_percent == 21
    (other,) = BACKEND.sample(machine, [replace(device, name="Apple M9", utilization_percent=99.0)])
    assert other.utilization_percent is None


def test_a_mac_of_which_nothing_can_be_learnt_is_a_gap(tmp_path: Path) -> None:
    call = ["/usr/sbin/system_profiler", "-json", "SPDisplaysDataType"]
    for answer, words in (
        ({}, "could not be started"),
        ({"commands": [{"argv": call, "timed_out": True}]}, "no answer"),
        ({"commands": [{"argv": call, "stdout": "{}"}]}, "listed no GPU"),
    ):
        (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"system": "macos", **answer}))
        (report,) = BACKEND.probe(RecordedMachine(tmp_path), Request())
        assert report.devices == ()
        assert words in report.gaps[0].reason


def test_other_systems_have_none(tmp_path: Path) -> None:
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"system": "linux"}))
    assert not BACKEND.detect(RecordedMachine(tmp_path))
