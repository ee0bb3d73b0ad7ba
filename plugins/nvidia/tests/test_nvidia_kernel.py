"""The bus and the kernel module's files show the hardware, its driver, and what stands in the way, without NVML."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_nvidia.backend import NvidiaBackend
from accel_nvidia.kernel import KernelGpu, KernelModule, parsed_information, parsed_version
from accel_nvidia.kernel_report import kernel_report
from accel_nvidia.nvml_unplaced import placed
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.machine.recorded import RecordedMachine
from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.model.report import Driver, Report
from accel.vendors.contract.backend import Request

PROPRIETARY = """\
NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023
GCC version:  gcc version 11.4.0 (Ubuntu 11.4.0-1ubuntu1~22.04)
"""
OPEN = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  560.35.03  Release Build  (dvs-builder)  Fri Aug 16\n"
INFORMATION = """\
Model: \t\t NVIDIA H100 80GB HBM3
IRQ:   \t\t 214
GPU UUID: \t GPU-34a43dcd-46bf-285d-6d98-08d666ebceea
Video BIOS: \t 96.00.a5.00.01
Bus Type: \t PCIe
DMA Size: \t 52 bits
Bus Location: \t 0000:19:00.0
Device Minor: \t 0
GPU Firmware: \t 535.104.05
GPU Excluded:\t No
"""


def bus(address: str, driver: str | None = None, kind: str = "0x030200", device: str = "0x2330") -> dict[str, Any]:
    """Return the files and links of one PCI function, as a recorded machine holds them."""
    folder = f"/sys/bus/pci/devices/{address}"
    values = {"vendor": "0x10de", "device": device, "class": kind, "numa_node": "1"}
    links = {f"{folder}/driver": f"../../../bus/pci/drivers/{driver}"} if driver else {}
    return {"files": {f"{folder}/{name}": f"{value}\n" for name, value in values.items()}, "links": links}


@pytest.fixture
def machine(tmp_path: Path) -> Callable[..., RecordedMachine]:
    def make(*parts: dict[str, Any], **more: Any) -> RecordedMachine:
        record: dict[str, Any] = {"system": "linux", "files": {}, "links": {}}
        for part in (*parts, more):
            for key, value in part.items():
                record[key] = {**record[key], **value} if isinstance(record.get(key), dict) else value
        (tmp_path / "machine.yaml").write_text(yaml.safe_dump(record))
        return RecordedMachine(tmp_path)

    return make


LOADED = {
    "files": {"/proc/driver/nvidia/version": PROPRIETARY},
    "nodes": ["/dev/nvidiactl", "/dev/nvidia0"],
    "libraries": ["libnvidia-ml.so.1"],
}


def names(report: Report) -> list[tuple[str, str | None]]:
    return [(getattr(one, "fact", None) or one.name, one.device) for one in report.observations]


def test_a_driver_that_is_not_loaded_leaves_the_hardware_in_sight(machine: Callable[..., RecordedMachine]) -> None:
    here = machine(bus("0000:19:00.0"), bus("0000:5d:00.0"), bus("0000:07:00.0", kind="0x068000"))
    report = kernel_report(here)
    assert [(d.id, d.pci_address, d.pci_id, d.numa_node, d.name) for d in report.devices] == [
        ("nvidia:0", "0000:19:00.0", "10de:2330", 1, None),
        ("nvidia:1", "0000:5d:00.0", "10de:2330", 1, None),
    ]
    assert report.driver is None
    assert names(report) == [("nvidia-module-absent", None)]


@pytest.mark.parametrize("driver", ["nouveau", "vfio-pci"])
def test_a_gpu_that_another_driver_holds_is_told(driver: str, machine: Callable[..., RecordedMachine]) -> None:
    report = kernel_report(machine(LOADED, bus("0000:19:00.0", "nvidia"), bus("0000:5d:00.0", driver)))
    assert names(report) == [("other-driver-bound", "nvidia:1")]
    assert dict(report.observations[0].values)["driver"] == driver


def test_a_gpu_that_the_loaded_module_did_not_take_is_told(machine: Callable[..., RecordedMachine]) -> None:
    report = kernel_report(machine(LOADED, bus("0000:19:00.0")))
    assert names(report) == []
    assert [(gap.fact, gap.device) for gap in report.gaps] == [("driver", "nvidia:0")]


def test_a_module_and_its_gpus_are_described(machine: Callable[..., RecordedMachine]) -> None:
    information = {"/proc/driver/nvidia/gpus/0000:19:00.0/information": INFORMATION}
    link = {"/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1": "libnvidia-ml.so.550.90.07"}
    report = kernel_report(machine(LOADED, bus("0000:19:00.0", "nvidia"), files=information, links=link))
    (device,) = report.devices
    assert (device.name, device.driver_version) == ("NVIDIA H100 80GB HBM3", "535.104.05")
    assert report.driver == Driver(version="535.104.05", flavor="proprietary", library_version="550.90.07")
    assert report.observations == ()


def test_a_node_that_this_user_may_not_open_is_told(machine: Callable[..., RecordedMachine]) -> None:
    here = machine(LOADED, bus("0000:19:00.0", "nvidia"), inaccessible=["/dev/nvidiactl"])
    (noted,) = kernel_report(here).observations
    assert (noted.fact, noted.values) == ("device-node-denied", (("path", "/dev/nvidiactl"),))


def test_a_node_that_is_missing_is_told(machine: Callable[..., RecordedMachine]) -> None:
    assert names(kernel_report(machine({**LOADED, "nodes": []}))) == [("/dev/nvidiactl", None)]


def test_a_loaded_module_without_its_library_is_told(machine: Callable[..., RecordedMachine]) -> None:
    assert names(kernel_report(machine({**LOADED, "libraries": []}))) == [("libnvidia-ml.so.1", None)]


HOST = {"links": {"/proc/self/ns/pid": "pid:[4026531836]"}}
SWITCH = bus("0000:05:00.0", "nvidia-nvswitch", kind="0x068000", device="0x22a3")
MANAGER = {"files": {"/run/nvidia-fabricmanager/nv-fabricmanager.pid": "812\n", "/proc/812/comm": "nv-fabricmanager"}}

INSTALLED = {
    "commands": [{"argv": ["nv-fabricmanager", "--version"], "stdout": "Fabric Manager version is : 535.104.05\n"}]
}


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ((HOST, SWITCH), ["fabric-manager-down"]),
        ((HOST, SWITCH, INSTALLED), ["fabric-manager-down", "fabric-manager-package"]),
        ((HOST, SWITCH, MANAGER), []),
        ((HOST,), []),
        ((SWITCH,), []),
        (({"links": {"/proc/self/ns/pid": "pid:[4026532001]"}}, SWITCH), []),
    ],
    ids=["none runs", "one is installed", "it runs", "no switch", "unknown namespace", "inside a container"],
)
def test_a_fabric_manager_is_missed_only_where_it_could_be_seen(
    parts: tuple[dict[str, Any], ...], told: list[str], machine: Callable[..., RecordedMachine]
) -> None:
    assert [name for name, _ in names(kernel_report(machine(LOADED, *parts)))] == told


def test_wsl_without_the_library_is_told(machine: Callable[..., RecordedMachine]) -> None:
    report = kernel_report(machine(nodes=["/dev/dxg"]))
    assert names(report) == [("libnvidia-ml.so.1", None)]


def test_a_container_shows_only_the_gpus_given_to_it(machine: Callable[..., RecordedMachine]) -> None:
    information = {"/proc/driver/nvidia/gpus/0000:5d:00.0/information": INFORMATION}
    report = kernel_report(
        machine(LOADED, bus("0000:19:00.0", "nvidia"), bus("0000:5d:00.0", "nvidia"), files=information)
    )
    assert [(d.id, d.pci_address) for d in report.devices] == [("nvidia:0", "0000:5d:00.0")]
    assert names(report) == []


def nvml_device(index: int, address: str | None) -> Device:
    return Device(id=f"nvidia:{index}", index=index, backend="nvidia", vendor="NVIDIA", kind="gpu", pci_address=address)


def test_the_numbers_of_nvml_are_kept(machine: Callable[..., RecordedMachine]) -> None:
    here = machine(LOADED, bus("0000:19:00.0", "nvidia"), bus("0000:5d:00.0", "nvidia"))
    report = kernel_report(here, [nvml_device(0, "0000:5d:00.0")])
    assert [(d.id, d.pci_address) for d in report.devices] == [("nvidia:0", "0000:5d:00.0")]


def test_a_device_without_an_address_gets_the_one_that_is_left(machine: Callable[..., RecordedMachine]) -> None:
    here = machine(LOADED, bus("0000:19:00.0", "nvidia"), bus("0000:5d:00.0", "nvidia"))
    first, second = placed(here, [nvml_device(0, "0000:5d:00.0"), nvml_device(1, None)])
    assert (first.pci_address, second.pci_address) == ("0000:5d:00.0", "0000:19:00.0")


def test_of_more_addresses_than_devices_none_is_guessed(machine: Callable[..., RecordedMachine]) -> None:
    here = machine(*(bus(f"0000:{number}:00.0", "nvidia") for number in (10, 20, 30)))
    assert placed(here, [nvml_device(0, "0000:10:00.0"), nvml_device(1, None)])[1].pci_address is None


SIGNS: dict[str, dict[str, Any]] = {
    "the module": {"files": {"/proc/driver/nvidia/version": PROPRIETARY}},
    "the control node": {"nodes": ["/dev/nvidiactl"]},
    "WSL": {"nodes": ["/dev/dxg"]},
    "the bus in one file": {"files": {"/proc/bus/pci/devices": "0100\t8086100e\t0\ttg3\n1900\t10de2330\t0\t\n"}},
    "the bus in folders": bus("0000:19:00.0"),
    "the library": {"libraries": ["libnvidia-ml.so.1"]},
}


@pytest.mark.parametrize("sign", SIGNS)
def test_any_one_sign_is_enough(sign: str, machine: Callable[..., RecordedMachine]) -> None:
    assert NvidiaBackend().detect(machine(SIGNS[sign])) is True


def test_a_machine_without_any_sign_is_not_probed(machine: Callable[..., RecordedMachine]) -> None:
    here = machine(files={"/proc/bus/pci/devices": "0100\t8086100e\t0\ttg3\n"})
    assert NvidiaBackend().detect(here) is False
    assert {report.status for report in NvidiaBackend().probe(here, Request())} == {"absent"}


def test_where_nvml_is_missing_nvidia_smi_is_read(machine: Callable[..., RecordedMachine]) -> None:
    listing = "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-34a43dcd-46bf-285d-6d98-08d666ebceea)\n"
    commands = [
        {"argv": ["nvidia-smi", "-q", "-x"], "exit_code": 2, "stderr": "Option -x is not recognized.\n"},
        {"argv": ["nvidia-smi"], "stdout": listing},
    ]
    reports = NvidiaBackend().probe(machine({**LOADED, "libraries": []}, commands=commands), Request())
    assert [(r.source, r.status) for r in reports][:2] == [("nvml", "failed"), ("nvidia-smi -q -x", "failed")]
    assert "exit code 2: Option -x is not recognized." in reports[1].gaps[0].reason
    (device,) = merged_devices(reports)[0]
    assert (device.name, device.uuid) == ("NVIDIA A100-SXM4-80GB", "GPU-34a43dcd-46bf-285d-6d98-08d666ebceea")


def test_an_nvidia_smi_that_does_not_end_is_a_gap(machine: Callable[..., RecordedMachine]) -> None:
    commands = [{"argv": ["nvidia-smi", "-q", "-x"], "timed_out": True}]
    reports = NvidiaBackend().probe(machine(LOADED, bus("0000:19:00.0", "nvidia"), commands=commands), Request())
    assert [gap.reason for gap in reports[1].gaps] == ["nvidia-smi -q -x did not end within 10 s"]
    assert [d.pci_address for d in reports[-1].devices] == ["0000:19:00.0"]


def test_the_version_line_names_the_kind_of_module() -> None:
    assert parsed_version(PROPRIETARY) == KernelModule(version="535.104.05", flavor="proprietary")
    assert parsed_version(OPEN) == KernelModule(version="560.35.03", flavor="open")
    assert parsed_version("NVRM version: \n") == KernelModule()


def test_question_marks_are_not_known() -> None:
    text = (
        "Model: \t\t Unknown\nGPU UUID: \t GPU-????????-????-????\nVideo BIOS: \t ??.??.??.??.??\nDevice Minor: \t 3\n"
    )
    assert parsed_information("0000:3B:00.0", text) == KernelGpu(address="0000:3b:00.0", minor_number=3)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="NVRM version:Kernl Mod?.\n\t0123456789", max_size=200), st.integers(0, len(INFORMATION)))
def test_cut_and_foreign_files_invent_nothing(text: str, end: int) -> None:
    assert parsed_version(text).version is None or parsed_version(text).version in text
    cut = parsed_information("0000:19:00.0", INFORMATION[:end])
    assert cut.uuid is None or INFORMATION[:end].count(cut.uuid)
    parsed_information("0000:19:00.0", text)
