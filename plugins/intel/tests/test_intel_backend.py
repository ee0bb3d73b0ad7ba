"""The live backend of Intel's GPUs, on made-up machines, and the masks."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from accel_intel import VENDOR
from accel_intel.model import IntelDevice, intel_gpu

from accel.machine.recorded import RecordedMachine
from accel.model.merge import merged_devices
from accel.model.observation import Noted
from accel.model.report import Report
from accel.vendors.contract.backend import Request
from accel.vendors.contract.watching import Wanted
from accel.vendors.toolkit.vendor_backend import VendorBackend

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


XE = {
    "hwmon/hwmon3/energy1_input": "5000000",
    "hwmon/hwmon3/temp2_label": "pkg",
    "hwmon/hwmon3/temp2_input": "48000",
    "hwmon/hwmon3/power1_max": "190000000",
    "tile0/gt0/freq0/act_freq": "2400",
    "tile0/gt0/freq0/throttle/reason_pl1": "1",
    "tile0/gt0/freq0/throttle/reason_thermal": "0",
}
I915 = {
    "drm/card1/gt/gt0/rps_act_freq_mhz": "1550",
    "drm/card1/gt/gt0/throttle_reason_pl1": "0",
    "drm/card1/gt/gt0/throttle_reason_thermal": "1",
}
CARD = replace(intel_gpu(0), pci_address="0000:03:00.0")


def watched(folder: Path, seconds: float, files: dict[str, str], cycles: int = 0) -> RecordedMachine:
    """Return a machine whose card has these files, and a process that has worked so many cycles, of 100 a second."""
    client = (
        "drm-pdev:\t0000:03:00.0\ndrm-client-id:\t9\ndrm-resident-vram0:\t64 MiB\n"
        f"drm-cycles-ccs:\t{cycles}\ndrm-total-cycles-ccs:\t{int(seconds * 100)}\n"
    )
    told = {f"/sys/bus/pci/devices/0000:03:00.0/{path}": f"{text}\n" for path, text in files.items()}
    links = {"/proc/71/fd/3": "/dev/dri/renderD128", "/proc/self/ns/pid": "pid:[4026531836]"}
    recorded = {"files": {**told, "/proc/71/fdinfo/3": client}, "links": links, "seconds": seconds}
    (folder / "machine.yaml").write_text(yaml.safe_dump(recorded))
    return RecordedMachine(folder)


def test_watched_without_xpu_smi_it_shows_what_the_files_say_and_who_works(tmp_path: Path) -> None:
    backend = VendorBackend(VENDOR)
    (first,) = backend.readings(watched(tmp_path, 0.0, XE), [CARD], Wanted())
    assert (first.energy_joules, first.power_watts, first.busy_percent) == (5.0, None, None)
    later = {**XE, "hwmon/hwmon3/energy1_input": "205000000"}
    (second,) = backend.readings(watched(tmp_path, 2.0, later, cycles=90), [CARD], Wanted())
    assert (second.power_watts, second.power_limit_watts, second.temperature_celsius) == (100.0, 190, 48)
    assert (second.clock_mhz, second.clock_event_reasons, second.busy_percent) == (2400, ("power-cap",), 45.0)
    assert [(one.pid, one.memory_bytes, one.busy_percent) for one in second.processes or ()] == [(71, 64 << 20, 45.0)]


@pytest.mark.parametrize(
    ("files", "clock", "reasons"),
    [
        (I915, 1550, ("thermal",)),
        ({"tile0/gt0/freq0/act_freq": "0"}, 0, None),
        ({"tile0/gt0/freq0/act_freq": "fast"}, None, None),
        ({**XE, "power/runtime_status": "suspended"}, None, None),
        ({}, None, None),
    ],
)
def test_a_clock_is_what_either_driver_says_and_a_sleeping_card_is_not_woken(
    tmp_path: Path, files: dict[str, str], clock: int | None, reasons: tuple[str, ...] | None
) -> None:
    (readings,) = VendorBackend(VENDOR).readings(watched(tmp_path, 0.0, files), [CARD], Wanted())
    assert (readings.clock_mhz, readings.clock_event_reasons) == (clock, reasons)


def test_where_xpu_smi_answers_its_figures_stand(tmp_path: Path) -> None:
    machine = RecordedMachine(MACHINES / "arc")
    (device,) = _devices(BACKEND.probe(machine, Request()))
    (readings,) = VendorBackend(VENDOR).readings(machine, [device], Wanted())
    assert (readings.busy_percent, readings.power_watts, readings.temperature_celsius) == (35, 44.5, 55)
