"""The live backend of Intel's GPUs, on made-up machines, and the masks."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from accel_intel import VENDOR
from accel_intel.model import IntelDevice, intel_gpu

from accel.contract.backend import Request
from accel.machine.recorded import RecordedMachine
from accel.model.merge import merged_devices
from accel.model.observation import Noted
from accel.model.report import Report
from accel.toolkit.vendor_backend import VendorBackend

MACHINES = Path(__file__).parent / "machines"
BACKEND = VendorBackend(VENDOR)


def _devices(reports: Sequence[Report]) -> list[IntelDevice]:
    return [device for device in merged_devices(reports)[0] if isinstance(device, IntelDevice)]


def test_tool_and_files_are_one_list_by_address() -> None:
    machine = RecordedMachine(MACHINES / "arc")
    assert BACKEND.detect(machine)
    (device,) = _devices(BACKEND.probe(machine, Request()))
    assert (device.name, device.architecture) == ("Intel(R) Arc(TM) B580 Graphics", "xe2_hpg")
    assert (device.driver_name, device.numa_node, device.power_limit_watts) == ("xe", 0, 190)
    assert (device.device_path, device.node_accessible) == ("/dev/dri/renderD128", False)
    assert (device.memory_used_bytes, device.power_watts, device.temperature_celsius) == (2**32, 44.5, 55)
    memory = BACKEND.memory(machine, "intel:0")
    assert memory is not None
    assert memory.free_bytes == (12216 - 4096) * 2**20
    (sampled,) = BACKEND.sample(machine, [replace(device, utilization_percent=1.0)])
    assert sampled.utilization_percent == 35


def test_a_card_that_nothing_serves_is_listed_and_told_of() -> None:
    machine = RecordedMachine(MACHINES / "bare")
    assert BACKEND.detect(machine)
    reports = BACKEND.probe(machine, Request())
    within, card = _devices(reports)
    assert (within.driver_name, within.pci_address, within.memory_total_bytes) == ("i915", "0000:00:02.0", None)
    assert (card.pci_address, card.driver_name, card.architecture) == ("0000:29:00.0", None, "ponte_vecchio")
    noted = [(one.fact, one.device) for report in reports for one in report.observations if isinstance(one, Noted)]
    assert noted == [("intel-gpu-no-driver", "intel:1")]
    assert any("xpu-smi is not installed" in gap.reason for report in reports for gap in report.gaps)


def test_other_machines_have_none_and_nothing_raises(tmp_path: Path) -> None:
    other = {"files": {"/sys/class/drm/card0/device/vendor": "0x10de\n"}}
    for record in ({}, {"system": "macos"}, other):
        (tmp_path / "machine.yaml").write_text(yaml.safe_dump(record))
        machine = RecordedMachine(tmp_path)
        assert not BACKEND.detect(machine)
        assert _devices(BACKEND.probe(machine, Request())) == []
        assert BACKEND.memory(machine, "intel:0") is None


@pytest.mark.parametrize(
    ("variables", "shown"),
    [
        ({}, [True, True]),
        ({"ZE_AFFINITY_MASK": "1"}, [False, True]),
        ({"ZE_AFFINITY_MASK": "0.0"}, [True, False]),
        ({"ZE_AFFINITY_MASK": "first"}, [None, None]),
        ({"ONEAPI_DEVICE_SELECTOR": "level_zero:0"}, [True, False]),
        ({"ONEAPI_DEVICE_SELECTOR": "level_zero:gpu"}, [True, True]),
        ({"ONEAPI_DEVICE_SELECTOR": "!level_zero:1"}, [True, False]),
        ({"ONEAPI_DEVICE_SELECTOR": "*:*;!level_zero:0"}, [False, True]),
        ({"ONEAPI_DEVICE_SELECTOR": "opencl:*"}, [False, False]),
        ({"ONEAPI_DEVICE_SELECTOR": "*:cpu"}, [False, False]),
        ({"ONEAPI_DEVICE_SELECTOR": "level_zero:0", "ZE_AFFINITY_MASK": "1"}, [False, None]),
    ],
)
def test_masks_are_read_as_level_zero_and_sycl_read_them(variables: dict[str, str], shown: list[bool | None]) -> None:
    cards = [replace(intel_gpu(n), pci_id="8086:e20b") for n in range(2)]
    assert [device.visible for device in BACKEND.visible(cards, variables)] == shown


def test_numbers_are_not_trusted_among_unlike_gpus_or_tiles() -> None:
    unlike = [replace(intel_gpu(n), pci_id=f"8086:000{n}") for n in range(2)]
    assert [d.visible for d in BACKEND.visible(unlike, {"ZE_AFFINITY_MASK": "0"})] == [None, None]
    tiled = [replace(intel_gpu(n), pci_id="8086:0bd5", tiles=2) for n in range(2)]
    assert [d.visible for d in BACKEND.visible(tiled, {"ZE_AFFINITY_MASK": "0"})] == [None, None]
    composite = {"ZE_AFFINITY_MASK": "0", "ZE_FLAT_DEVICE_HIERARCHY": "COMPOSITE"}
    assert [d.visible for d in BACKEND.visible(tiled, composite)] == [True, False]


def test_the_only_gpu_left_is_xpu_0() -> None:
    cards = [replace(intel_gpu(n), pci_id="8086:e20b") for n in range(2)]
    first, second = BACKEND.visible(cards, {"ZE_AFFINITY_MASK": "1"})
    assert (first.runtime_names, second.runtime_names) == ((), ("xpu:0",))
