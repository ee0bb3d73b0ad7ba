"""The live backend of Neuron devices, on made-up machines, and the masks."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from accel_neuron import VENDOR
from accel_neuron.model import NeuronDevice, neuron

from accel.machine.recorded import RecordedMachine
from accel.model.merge import merged_devices
from accel.model.observation import Noted
from accel.model.report import Report
from accel.vendors.contract.backend import Request
from accel.vendors.toolkit.vendor_backend import VendorBackend

MACHINES = Path(__file__).parent / "machines"
BACKEND = VendorBackend(VENDOR)


def _devices(reports: Sequence[Report]) -> list[NeuronDevice]:
    return [device for device in merged_devices(reports)[0] if isinstance(device, NeuronDevice)]


def test_tool_and_files_are_one_list() -> None:
    machine = RecordedMachine(MACHINES / "trn1")
    assert BACKEND.detect(machine)
    reports = BACKEND.probe(machine, Request())
    (device,) = _devices(reports)
    assert (device.name, device.architecture, device.pci_address) == ("Trainium1", "neuron", "0000:00:1e.0")
    assert (device.core_ids, device.device_path, device.driver_version) == ((0, 1), "/dev/neuron0", "2.16.7.0")
    assert [process.pid for process in device.processes or ()] == [71]
    assert {gap.fact for report in reports for gap in report.gaps} == {"memory_used_bytes", "utilization_percent"}


def test_a_device_without_a_driver_is_listed_and_told_of() -> None:
    machine = RecordedMachine(MACHINES / "no-driver")
    assert BACKEND.detect(machine)
    reports = BACKEND.probe(machine, Request())
    (device,) = _devices(reports)
    assert (device.id, device.name, device.device_path) == ("neuron:0", "Inferentia2", None)
    noted = [one.fact for report in reports for one in report.observations if isinstance(one, Noted)]
    assert noted == ["neuron-no-module"]
    assert any("not installed" in gap.reason for report in reports for gap in report.gaps)


def test_other_machines_have_none_and_nothing_raises(tmp_path: Path) -> None:
    network_card = {"files": {"/proc/bus/pci/devices": "0028\t1d0fec20\t1f\n"}}
    for record in ({}, {"system": "macos"}, network_card):
        (tmp_path / "machine.yaml").write_text(yaml.safe_dump(record))
        machine = RecordedMachine(tmp_path)
        assert not BACKEND.detect(machine)
        assert _devices(BACKEND.probe(machine, Request())) == []


def test_a_tool_that_hangs_or_hung_is_a_gap(tmp_path: Path) -> None:
    hung = {"commands": [{"argv": ["neuron-ls", "-j"], "timed_out": True}], "nodes": ["/dev/neuron0"]}
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump(hung))
    machine = RecordedMachine(tmp_path)
    for request, words in (
        (Request(), "no answer"),
        (Request(skip=frozenset({("neuron-ls -j", None)})), "before"),
    ):
        reports = BACKEND.probe(machine, request)
        assert [device.id for device in _devices(reports)] == ["neuron:0"]
        assert any(words in gap.reason for report in reports for gap in report.gaps)


def test_memory_and_processes_come_from_the_tool() -> None:
    machine = RecordedMachine(MACHINES / "trn1")
    memory = BACKEND.memory(machine, "neuron:0")
    assert memory is not None
    assert (memory.total_bytes, memory.used_bytes) == (32 * 2**30, None)
    assert BACKEND.memory(machine, "neuron:5") is None
    (sampled,) = BACKEND.sample(machine, [neuron(0)])
    assert [process.pid for process in sampled.processes or ()] == [71]


@pytest.mark.parametrize(
    ("mask", "shown"),
    [
        (None, [True, True, True]),
        ("0-1", [True, False, None]),
        ("3", [False, True, None]),
        ("everything", [None, None, None]),
        ("", [True, True, True]),
    ],
)
def test_the_mask_counts_cores_through_all_devices(mask: str | None, shown: list[bool | None]) -> None:
    devices = [
        replace(neuron(0), core_ids=(0, 1), core_count=2),
        replace(neuron(1), core_count=2),
        neuron(2),
    ]
    variables = {} if mask is None else {"NEURON_RT_VISIBLE_CORES": mask}
    assert [device.visible for device in BACKEND.visible(devices, variables)] == shown


def test_memory_in_use_and_errors_come_from_the_drivers_files() -> None:
    machine = RecordedMachine(MACHINES / "memory-errors")
    reports = BACKEND.probe(machine, Request())
    (device,) = _devices(reports)
    assert (device.memory_used_bytes, device.memory_uncorrected_errors, device.health) == (3 * 2**30, 3, "critical")
    assert {gap.fact for report in reports for gap in report.gaps} == {"utilization_percent"}
    memory = BACKEND.memory(machine, "neuron:0")
    assert memory is not None
    assert memory.free_bytes == 29 * 2**30
    (sampled,) = BACKEND.sample(machine, [replace(device, memory_used_bytes=1, utilization_percent=5.0)])
    assert (sampled.memory_used_bytes, sampled.utilization_percent) == (3 * 2**30, None)


def test_a_counter_that_is_a_folder_is_read_too_and_one_that_is_missing_is_not_known(tmp_path: Path) -> None:
    own = "/sys/devices/virtual/neuron_device/neuron0"
    files = {
        f"{own}/stats/hardware/sram_ecc_uncorrected/total": "2\n",
        f"{own}/neuron_core0/info": "",
        "/dev/neuron0": "",
    }
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"files": files}))
    (device,) = _devices(BACKEND.probe(RecordedMachine(tmp_path), Request()))
    assert (device.sram_uncorrected_errors, device.memory_uncorrected_errors) == (2, None)
    assert (device.memory_used_bytes, device.health) == (None, "critical")
