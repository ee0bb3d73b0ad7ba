"""The live backend of Gaudi cards, on made-up machines, and the masks."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from accel_gaudi import VENDOR
from accel_gaudi.model import GaudiDevice, gaudi

from accel.machine.recorded import RecordedMachine
from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.model.observation import Noted
from accel.model.report import Report
from accel.vendors.contract.backend import Request
from accel.vendors.toolkit.vendor_backend import VendorBackend

MACHINES = Path(__file__).parent / "machines"
BACKEND = VendorBackend(VENDOR)


def _devices(reports: Sequence[Report]) -> list[GaudiDevice]:
    return [device for device in merged_devices(reports)[0] if isinstance(device, GaudiDevice)]


def test_tool_and_files_are_one_list_by_address() -> None:
    machine = RecordedMachine(MACHINES / "hls2")
    assert BACKEND.detect(machine)
    first, second = _devices(BACKEND.probe(machine, Request()))
    assert (first.id, first.pci_address, first.module_id, first.health) == ("gaudi:0", "0000:b4:00.0", 4, "ok")
    assert (first.device_path, first.node_accessible, first.numa_node) == ("/dev/accel/accel0", True, None)
    assert (second.health, second.module_status, second.node_accessible) == ("warning", "In reset", False)
    assert (second.numa_node, second.power_limit_watts) == (1, None)


def test_the_checks_get_the_tables_facts_too() -> None:
    first, second = _devices(BACKEND.probe(RecordedMachine(MACHINES / "hls2"), Request(depth="health")))
    assert first.power_limit_watts == 600
    assert [process.pid for process in first.processes or ()] == [4242]
    assert second.processes is None
    assert first.ecc_uncorrectable_errors == 0


def test_a_card_without_a_driver_is_listed_and_told_of() -> None:
    machine = RecordedMachine(MACHINES / "no-driver")
    assert BACKEND.detect(machine)
    reports = BACKEND.probe(machine, Request())
    (device,) = _devices(reports)
    assert (device.architecture, device.device_path) == ("gaudi3", None)
    noted = {one.fact for report in reports for one in report.observations if isinstance(one, Noted)}
    assert noted == {"gaudi-no-module", "gaudi-driver-not-loaded"}


def test_other_machines_have_none_and_nothing_raises(tmp_path: Path) -> None:
    for record in ({}, {"system": "windows"}, {"nodes": ["/dev/accel/accel0"]}):
        (tmp_path / "machine.yaml").write_text(yaml.safe_dump(record))
        machine = RecordedMachine(tmp_path)
        assert not BACKEND.detect(machine)
        reports = BACKEND.probe(machine, Request())
        assert _devices(reports) == []
        assert any("hl-smi is not installed" in gap.reason for report in reports for gap in report.gaps)


def test_a_call_that_hung_is_not_made_again(tmp_path: Path) -> None:
    (tmp_path / "machine.yaml").write_text(yaml.safe_dump({"commands": [{"argv": ["hl-smi"], "timed_out": True}]}))
    skip = frozenset({("hl-smi -Q", None), ("hl-smi", None)})
    reports = BACKEND.probe(RecordedMachine(tmp_path), Request(skip=skip))
    reasons = [gap.reason for report in reports for gap in report.gaps]
    assert reasons == ["it hung or crashed before"] * 2


def test_memory_samples_and_processes_come_from_the_tool() -> None:
    machine = RecordedMachine(MACHINES / "hls2")
    memory = BACKEND.memory(machine, "gaudi:0")
    assert memory is not None
    assert memory.free_bytes == 97536 * 2**20
    assert BACKEND.memory(machine, "gaudi:9") is None
    old = replace(gaudi(0), name="HL-225", utilization_percent=99.0)
    (fresh,) = BACKEND.sample(machine, [old])
    assert (fresh.name, fresh.utilization_percent) == ("HL-225", 3)
    assert set(BACKEND.processes(machine)) == {"gaudi:0", "gaudi:1"}


@pytest.mark.parametrize(
    ("variables", "shown"),
    [
        ({}, [True, True, True]),
        ({"HABANA_VISIBLE_MODULES": "6"}, [False, True, None]),
        ({"HABANA_VISIBLE_MODULES": ""}, [False, False, None]),
        ({"HABANA_VISIBLE_MODULES": "all"}, [None, None, None]),
        ({"HABANA_VISIBLE_DEVICES": "0"}, [True, True, True]),
    ],
)
def test_masks_are_read_as_the_runtime_reads_them(variables: dict[str, str], shown: list[bool | None]) -> None:
    cards: list[Device] = [replace(gaudi(n), module_id=module) for n, module in enumerate((4, 6, None))]
    assert [device.visible for device in BACKEND.visible(cards, variables)] == shown


def test_the_only_card_left_is_hpu_0() -> None:
    cards = [replace(gaudi(n), module_id=n) for n in range(2)]
    first, second = BACKEND.visible(cards, {"HABANA_VISIBLE_MODULES": "1"})
    assert (first.runtime_names, second.runtime_names) == ((), ("hpu:0",))
