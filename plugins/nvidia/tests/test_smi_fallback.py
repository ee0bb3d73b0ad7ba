"""Where NVML cannot be loaded, nvidia-smi tells of health, or of why it cannot."""

from pathlib import Path

import pytest
from accel_nvidia.backend import NvidiaBackend
from accel_nvidia.smi_complaints import complaints

from accel.machine.recorded import RecordedMachine
from accel.model.merge import merged_devices
from accel.vendors.contract.backend import Request

MACHINES = Path(__file__).parent / "machines"


def health(machine: str) -> list[str]:
    reports = NvidiaBackend().probe(RecordedMachine(MACHINES / machine), Request(depth="health"))
    return [device.health for device in merged_devices(reports)[0]]


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        ("healthy", ["ok", "ok"]),
        ("worn-memory", ["critical", "warning", "critical"]),
        ("slowed-down", ["warning", "warning", "ok"]),
        ("mismatch", ["unknown", "unknown"]),
    ],
)
def test_the_whole_log_of_nvidia_smi_tells_the_health(machine: str, expected: list[str]) -> None:
    assert health(machine) == expected


def test_a_log_that_leaves_out_the_clocks_calls_nothing_healthy(tmp_path: Path) -> None:
    for file in ("machine.yaml", "nvidia-smi.xml"):
        text = (MACHINES / "healthy" / file).read_text()
        (tmp_path / file).write_text(text.replace("clocks_event_reason", "left_out"))
    reports = NvidiaBackend().probe(RecordedMachine(tmp_path), Request(depth="health"))
    assert [device.health for device in merged_devices(reports)[0]] == ["unknown", "unknown"]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Failed to initialize NVML: Driver/library version mismatch", ["18"]),
        ("Failed to initialize NVML: some words of a driver to come", []),
        ("Unable to determine the device handle for GPU0000:47:00.0: Unknown Error", []),
        (
            "Unable to determine the device handle for GPU 0000:0B:00.0: GPU is lost.  Reboot the system",
            ["15"],
        ),
        (
            "Unable to determine the device handle for GPU 0000:0B:00.0: Unable to communicate with GPU because it is "
            "insufficiently powered.",
            ["8"],
        ),
        ("No devices were found", []),
    ],
)
def test_a_complaint_is_the_answer_that_nvml_gave_the_tool(text: str, codes: list[str]) -> None:
    assert [error.code for error in complaints(text, "nvidia-smi")] == codes
