"""Every fault costs what it breaks and nothing else: the devices that answer, and a gap with device, call and code."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from typing import Any

import pytest
from accel_nvidia.nvml_device import pci_address

from accel.model.dataclass import dataclass

pytestmark = pytest.mark.slow  # processes, and deadlines that run out

WHOLE = ("nvidia:0", "nvidia:1", "nvidia:2", "nvidia:3")
_STANDING = {f"FIELD_{number}": "1000" for number in (83, 138, 139, 197, 198)}  # which else grow with time
_NO_POWER = {"FAULT": "nvmlDeviceGetTemp*=3;nvmlDeviceGetPower*=3;nvmlDeviceGetUtil*=3;nvmlDeviceGetEnforced*=3"}


@dataclass(frozen=True)
class Fault:
    """A scenario. gap: (device, call, code) that must be told; lost: facts that must be None of that device.

    noted: (fact, call, code) to be judged of it, and none else.
    """

    keys: dict[str, str]
    gap: tuple[str | None, str, int] | None = None
    error: int | None = None
    health: str | None = None
    lost: tuple[str, ...] = ()
    kept: tuple[str, ...] = ("uuid", "name", "memory_used_bytes", "power_watts")
    driver: str = "570"
    depth: str = "devices"
    devices: tuple[str, ...] = field(default=WHOLE)
    noted: tuple[tuple[str, str, str], ...] = ()


HANDLE, UUID, POWER = "nvmlDeviceGetHandleByIndex", "nvmlDeviceGetUUID", "nvmlDeviceGetPowerUsage"
FIELDS = "nvmlDeviceGetFieldValues"
RATES, COMPUTE = "nvmlDeviceGetUtilizationRates", "nvmlDeviceGetComputeRunningProcesses"

FAULTS = {
    "a healthy node": Fault({}, health="ok"),
    "a GPU that is lost with its handle": Fault(
        {"FAULT": "nvmlDevice*=15,gpu=2"}, ("nvidia:2", HANDLE, 15), 15, "critical", ("uuid", "power_watts"), ()
    ),
    "a GPU that is lost after its handle": Fault(
        {"FAULT": "nvmlDeviceGet[!H]*=15,gpu=2"}, ("nvidia:2", UUID, 15), 15, "critical", ("uuid", "power_watts"), ()
    ),
    "a GPU that is lost in the middle": Fault(
        {"FAULT": "nvmlDeviceGetPowerUsage=15,gpu=2"},
        ("nvidia:2", POWER, 15),
        15,
        "critical",
        ("power_watts",),
        ("uuid", "name", "memory_used_bytes"),
    ),
    "a GPU without external power": Fault(
        {"FAULT": "nvmlDeviceGetHandleByIndex*=8,gpu=2"}, ("nvidia:2", HANDLE, 8), 8, "critical", ("uuid",), ()
    ),
    "a GPU that this user may not ask": Fault(
        {"FAULT": "nvmlDeviceGetHandleByIndex*=4,gpu=2"}, ("nvidia:2", HANDLE, 4), 4, "unknown", ("uuid",), ()
    ),
    "a GPU that cannot be opened for an unknown error": Fault(
        {"FAULT": "nvmlDeviceGetHandleByIndex*=999,gpu=2"},
        ("nvidia:2", HANDLE, 999),
        None,
        "critical",
        ("uuid",),
        (),
        noted=(("gpu-handle-refused", HANDLE, "999"),),
    ),
    "a GPU that does not answer in time": Fault(
        {"FAULT": "nvmlDeviceGetHandleByIndex*=10,gpu=2"},
        ("nvidia:2", HANDLE, 10),
        10,
        "critical",
        ("uuid",),
        (),
        noted=(("gpu-handle-refused", HANDLE, "10"),),
    ),
    "a GPU with a corrupted InfoROM": Fault(
        {"FAULT": "nvmlDeviceGetHandleByIndex*=14,gpu=2"},
        ("nvidia:2", HANDLE, 14),
        14,
        "critical",
        ("uuid",),
        (),
        noted=(("gpu-handle-refused", HANDLE, "14"),),
    ),
    "a GPU that is opened and answers nothing": Fault(
        {"FAULT": "nvmlDeviceGet[!H]*=999,gpu=2"},
        ("nvidia:2", UUID, 999),
        None,
        "critical",
        ("uuid", "power_watts"),
        (),
        noted=(("gpu-answers-nothing", UUID, "999"),),
    ),
    "a GPU that needs a reset": Fault(
        {"FAULT": "nvmlDeviceGet[!HNUI]*=16,gpu=2"},
        ("nvidia:2", POWER, 16),
        16,
        "critical",
        ("power_watts",),
        ("uuid",),
    ),
    "a uuid that is not supported": Fault(
        {"FAULT": "nvmlDeviceGetUUID=3,gpu=2"}, None, None, "ok", ("uuid",), ("name", "power_watts")
    ),
    "an unknown error of the utilization": Fault(
        {"FAULT": "nvmlDeviceGetUtilizationRates=999,gpu=2"},
        ("nvidia:2", RATES, 999),
        None,
        "ok",
        ("utilization_percent",),
        noted=(("gpu-call-refused", RATES, "999"),),
    ),
    "an unknown error of the name": Fault(
        {"FAULT": "nvmlDeviceGetName=999,gpu=2"},
        ("nvidia:2", "nvmlDeviceGetName", 999),
        None,
        "ok",
        ("name",),
        ("uuid",),
        noted=(("gpu-call-refused", "nvmlDeviceGetName", "999"),),
    ),
    "processes that this user may not list": Fault(
        {"FAULT": "nvmlDeviceGet*Process*=4"}, ("nvidia:2", COMPUTE, 4), None, "ok", ("processes",)
    ),
    "health that cannot be asked": Fault(
        {"FAULT": "nvmlDeviceGetFieldValues=999,gpu=2"},
        ("nvidia:2", "nvmlDeviceGetFieldValues", 999),
        None,
        "unknown",
        ("recovery_action",),
        depth="health",
        noted=(("gpu-call-refused", "nvmlDeviceGetFieldValues", "999"),),
    ),
    "one field that fails": Fault(
        {"FIELD_230_2": "E999"},
        ("nvidia:2", "nvmlDeviceGetFieldValues", 999),
        None,
        "unknown",
        ("recovery_action",),
        depth="health",
        noted=(("gpu-call-refused", "nvmlDeviceGetFieldValues", "999"),),
    ),
    "unified memory": Fault(
        {"FAULT": "nvmlDeviceGetMemoryInfo*=3"}, None, None, "ok", ("memory_total_bytes",), ("uuid", "power_watts")
    ),
    "no sensors": Fault(_NO_POWER, None, None, "ok", ("power_watts", "utilization_percent"), ("uuid", "name")),
    "an old driver": Fault({}, driver="470", health="ok"),
    "a newer driver": Fault({}, driver="580", health="ok"),
    "MIG": Fault(
        {"MIG_GPUS": "2"},
        health="ok",
        lost=("utilization_percent",),
        devices=(*WHOLE[:3], "nvidia:2/mig0", "nvidia:2/mig1", "nvidia:2/mig2", "nvidia:3"),
    ),
    "a slow driver": Fault({"LATENCY_US": "2000"}, health="ok"),
    "many processes": Fault({"PIDS": ",".join(f"{9000000 + i}:1" for i in range(64))}, health="ok"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_costs_what_it_breaks_and_nothing_else(name: str, probe: Callable[..., Any]) -> None:
    fault = FAULTS[name]
    answer = probe(fault.depth, driver=fault.driver, **fault.keys)
    assert tuple(answer.devices) == fault.devices
    for other in ("nvidia:0", "nvidia:1", "nvidia:3"):
        assert answer.devices[other].uuid is not None
        assert answer.devices[other].name == "NVIDIA H100 80GB HBM3"
    sick = answer.devices["nvidia:2"]
    assert [fact for fact in fault.lost if getattr(sick, fact) is not None] == []
    assert [fact for fact in fault.kept if getattr(sick, fact) is None] == []
    if fault.health is not None:
        assert sick.health == fault.health
    if fault.gap is None:
        assert answer.nvml.status in ("ok", "partial")
        assert answer.errors == ()
    else:
        device, call, code = fault.gap
        assert any(f"NVML error {code} " in g.reason and g.reason.endswith(f"from {call}") for g in answer.gaps(device))
        assert answer.nvml.status == "partial"
    assert tuple((one.fact, *(value for _, value in one.values)) for one in answer.noted("nvidia:2")) == fault.noted
    told = [(one.device, one.code) for one in answer.errors]
    assert told.count(("nvidia:2", str(fault.error))) == (fault.error is not None)
    assert len(told) == len(set(told))


@pytest.mark.parametrize("code", [9, 18, 4, 999])
def test_a_start_that_fails_is_a_gap_an_error_and_a_fallback(code: int, probe: Callable[..., Any]) -> None:
    answer = probe(FAULT=f"nvmlInit*={code}")
    assert answer.nvml.status == "failed"
    assert answer.devices == {}
    (error,) = answer.errors
    assert (error.domain, error.call, error.code, error.device) == ("nvml", "nvmlInit", str(code), None)
    assert [gap.fact for gap in answer.nvml.gaps] == ["nvmlInit"]
    assert "pci and kernel" in [report.source for report in answer.reports]


HANGING: dict[str, tuple[str, dict[str, str]]] = {  # the probe's seconds, and what hangs
    "two devices": ("16", {"FAULT": "nvmlDeviceGet[!HC]*=hang,gpu=1;nvmlDeviceGet[!HC]*=hang,gpu=2"}),
    "most calls of a device": ("8", {"FAULT": "nvmlDeviceGet[TPE]*=hang,gpu=1"}),
    "all calls of a device": ("8", {"FAULT": "nvmlDeviceGet[!HC]*=hang,gpu=1"}),
    **{f"{call} of every device": ("8", {"FAULT": f"{call}=hang", "GPUS": "8"}) for call in (POWER, UUID, FIELDS)},
    "a device, and time runs out": ("3", {"FAULT": "nvmlDeviceGet[TPUE]*=hang,gpu=0"}),
    "the start": ("3", {"FAULT": "nvmlInit*=hang"}),
}


@pytest.fixture(scope="module")
def hanging(child: Callable[..., Any]) -> Iterator[Callable[[str], Any]]:
    """Return the reports on a node of HANGING: the deadlines of several run out side by side."""
    with ThreadPoolExecutor(4) as pool:
        begun = {name: pool.submit(child, "probe", "devices", HANGING[name][0], **HANGING[name][1]) for name in HANGING}
        yield lambda name: begun[name].result()


def test_a_start_that_hangs_ends_and_leaves_the_other_sources(hanging: Callable[[str], Any]) -> None:
    reports = hanging("the start")
    assert [gap.fact for gap in reports[0].gaps] == ["nvmlInit"]
    assert "pci and kernel" in [report.source for report in reports]


@pytest.mark.parametrize("how", ["hang", "crash", "segv"])
@pytest.mark.parametrize(("call", "fact"), [(POWER, "power_watts"), (HANDLE, "uuid"), (RATES, "utilization_percent")])
def test_a_call_that_never_returns_costs_itself(call: str, fact: str, how: str, probe: Callable[..., Any]) -> None:
    answer = probe(FAULT=f"{call}*={how},gpu=2")
    assert tuple(answer.devices) == WHOLE
    assert getattr(answer.devices["nvidia:2"], fact) is None
    assert all(answer.devices[other].power_watts is not None for other in ("nvidia:0", "nvidia:1", "nvidia:3"))
    assert call in [gap.fact for gap in answer.gaps("nvidia:2")]


@pytest.mark.parametrize("calls", ["most", "all"])
def test_a_device_whose_calls_all_hang_is_given_up(calls: str, hanging: Callable[[str], Any]) -> None:
    reports = hanging(f"{calls} calls of a device")
    devices = {d.id: d for d in reports[0].devices}
    assert tuple(devices) == WHOLE
    assert all(devices[other].power_watts is not None for other in ("nvidia:0", "nvidia:2", "nvidia:3"))


def test_many_illnesses_at_once_each_cost_their_own_device(child: Callable[..., Any]) -> None:
    fault = (
        "nvmlDeviceGetPowerUsage=hang,gpu=2; nvmlDeviceGetUtilizationRates=crash,gpu=5;"
        "nvmlDeviceGetTemperature=segv,gpu=1; nvmlDevice*=15,gpu=7; nvmlDeviceGetName=999,gpu=0"
    )
    reports = child("probe", "health", "10", FAULT=fault, GPUS="8", MIG_GPUS="6")
    devices = {d.id: d for d in reports[0].devices}
    assert [i for i in devices if "/" not in i] == [f"nvidia:{index}" for index in range(8)]
    assert len([i for i in devices if i.startswith("nvidia:6/")]) == 3
    lost = {
        ("nvidia:2", "power_watts"),
        ("nvidia:5", "utilization_percent"),
        ("nvidia:1", "temperature_celsius"),
        ("nvidia:0", "name"),
        ("nvidia:6", "utilization_percent"),
    }
    facts = ("power_watts", "utilization_percent", "temperature_celsius", "name", "uuid")
    unknown = {(i, fact) for i, d in devices.items() for fact in facts if "/" not in i and getattr(d, fact) is None}
    assert unknown == lost | {("nvidia:7", fact) for fact in facts}
    told = {(gap.device, gap.fact) for report in reports for gap in report.gaps}
    assert {("nvidia:2", "nvmlDeviceGetPowerUsage"), ("nvidia:5", "nvmlDeviceGetUtilizationRates")} <= told


def test_if_time_runs_out_in_a_sick_device_the_well_ones_are_kept(hanging: Callable[[str], Any]) -> None:
    reports = hanging("a device, and time runs out")
    devices = {d.id: d for d in reports[0].devices}
    assert sorted(devices) == list(WHOLE)
    assert all(devices[other].power_watts is not None for other in ("nvidia:1", "nvidia:2", "nvidia:3"))


@pytest.mark.parametrize("call", [POWER, UUID, FIELDS])
def test_a_call_that_hangs_on_every_device_costs_that_call_and_no_device(
    call: str, hanging: Callable[[str], Any]
) -> None:
    reports = hanging(f"{call} of every device")
    devices = {d.id: d for d in reports[0].devices}
    assert tuple(devices) == tuple(f"nvidia:{index}" for index in range(8))
    assert all(d.name is not None and d.temperature_celsius is not None for d in devices.values())
    lost = [gap.device for gap in reports[0].gaps if gap.fact == call and gap.source == "probe"]
    assert 2 <= len(lost) <= 4
    assert all(any(gap.device == i and "did not return" in gap.reason for gap in reports[0].gaps) for i in devices)


def test_two_dead_devices_leave_the_others_whole(hanging: Callable[[str], Any]) -> None:
    reports = hanging("two devices")
    devices = {d.id: d for d in reports[0].devices}
    assert tuple(devices) == WHOLE
    assert all(devices[i].uuid is not None and devices[i].name is not None for i in ("nvidia:0", "nvidia:3"))


def test_a_driver_that_is_slow_does_not_hang(child: Callable[..., Any]) -> None:
    reports = child("probe", "devices", "4", LATENCY_US="60000", LATENCY_MODE="clock", GPUS="8")
    devices = {d.id: d for d in reports[0].devices}
    assert tuple(devices) == tuple(f"nvidia:{index}" for index in range(8))
    assert all(d.uuid is not None and d.name is not None and d.pci_address is not None for d in devices.values())
    assert [gap for gap in reports[0].gaps if gap.source == "probe"] == []
    assert any("nearly over" in gap.reason for gap in reports[0].gaps)
    assert reports[0].driver.version is not None


def test_a_start_of_six_seconds_loses_no_device(child: Callable[..., Any]) -> None:
    reports = child("probe", "devices", "8", LATENCY="nvmlInitWithFlags=6000000", LATENCY_MODE="clock", GPUS="8")
    assert len(reports[0].devices) == 8
    assert all(d.power_watts is not None for d in reports[0].devices)
    assert reports[0].gaps == ()


@pytest.mark.parametrize(("how", "fact"), [("999", "devices"), ("10", "devices"), ("hang", "nvmlDeviceGetCount")])
def test_a_count_that_fails_is_a_failure_of_the_driver(how: str, fact: str, probe: Callable[..., Any]) -> None:
    answer = probe(FAULT=f"nvmlDeviceGetCount*={how}")
    assert answer.nvml.status == "failed"
    assert fact in [gap.fact for gap in answer.nvml.gaps]
    assert [one.fact for one in answer.noted(None)] == (["gpu-count-refused"] if how != "hang" else [])
    assert "pci and kernel" in [report.source for report in answer.reports]


def test_a_process_keeps_one_start_of_nvml_however_often_it_asks(child: Callable[..., Any]) -> None:
    assert child("balance") == (1, 1, 1)


def test_no_gpus_is_no_fault(probe: Callable[..., Any]) -> None:
    answer = probe(GPUS="0")
    assert answer.nvml.status == "ok"
    assert answer.nvml.gaps == ()


def test_processes_of_another_namespace_are_kept_without_names(probe: Callable[..., Any]) -> None:
    processes = probe(PIDS="4100001:100,4100002:100").devices["nvidia:0"].processes
    assert [(p.pid, p.name, p.user, p.memory_bytes) for p in processes] == [
        (4100001, None, None, 104857600),
        (4100002, None, None, 104857600),
    ]


def test_a_gap_names_once_what_a_device_does_not_support(probe: Callable[..., Any]) -> None:
    gaps = probe("health", **_NO_POWER).gaps("nvidia:1")
    (told,) = [gap for gap in gaps if gap.reason == "not supported by this device"]
    assert {"power_watts", "temperature_celsius", "fan_percent"} <= set(told.fact.split(", "))


def test_memory_that_is_the_systems_has_a_gap_of_its_own(probe: Callable[..., Any]) -> None:
    gaps = probe(MEM_TOTAL="N/A").gaps("nvidia:1")
    assert [gap.fact for gap in gaps] == ["memory_total_bytes"]


def test_an_nvlink_whose_other_end_is_not_known_has_no_address() -> None:
    assert pci_address("FFFFFFFF:FF:FF.0") is None
    assert pci_address("ffffffff:ff:ff.0") is None


def test_whatever_call_fails_with_whatever_code_no_device_hides_another(child: Callable[..., Any]) -> None:
    found = child("sweep", "3", "4", "13", "15", "16", "999", MIG_GPUS="2", PIDS="1:10", **_STANDING)
    assert len({call for call, *_ in found}) > 50
    assert [one for one in found if one[2] or one[3]] == []
    assert len({call for call, *_, differs in found if differs}) > 40  # the faults were there
