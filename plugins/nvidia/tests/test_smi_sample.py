"""A machine on which NVML cannot be loaded and nvidia-smi answers goes on being sampled."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from accel_nvidia.backend import NvidiaBackend

from accel.machine.recorded import RecordedMachine
from accel.model.merge import merged_devices
from accel.vendors.contract.backend import Request

FOLDER = Path(__file__).parents[3] / "tests/machines/nvidia-smi-only"


@pytest.fixture
def machine() -> RecordedMachine:
    return RecordedMachine(FOLDER)


def test_a_sample_has_the_readings_of_nvidia_smi(machine: RecordedMachine) -> None:
    backend = NvidiaBackend()
    devices, _ = merged_devices(backend.probe(machine, Request()))
    assert devices
    stale = [replace(d, memory_used_bytes=1, temperature_celsius=1.0, power_watts=None) for d in devices]
    for device, fresh in zip(devices, backend.sample(machine, stale), strict=True):
        assert fresh.memory_used_bytes == device.memory_used_bytes != 1
        assert fresh.temperature_celsius == device.temperature_celsius != 1.0
        assert fresh.power_watts == device.power_watts
        assert fresh.uuid == device.uuid


def test_memory_and_processes_are_those_of_nvidia_smi(machine: RecordedMachine) -> None:
    backend = NvidiaBackend()
    (first, *_), _ = merged_devices(backend.probe(machine, Request()))
    memory = backend.memory(machine, first.id)
    assert memory is not None
    assert (memory.total_bytes, memory.used_bytes) == (first.memory_total_bytes, first.memory_used_bytes)
    assert backend.processes(machine)[first.id] == first.processes
    assert backend.memory(machine, "nvidia:77") is None


def test_a_device_that_is_no_longer_listed_is_not_healthy(machine: RecordedMachine, tmp_path: Path) -> None:
    devices, _ = merged_devices(NvidiaBackend().probe(machine, Request()))
    shutil.copy(FOLDER / "machine.yaml", tmp_path)
    (tmp_path / "nvidia-smi.xml").write_text("")
    for fresh in NvidiaBackend().sample(RecordedMachine(tmp_path), [replace(d, health="ok") for d in devices]):
        assert fresh.memory_used_bytes is None
        assert fresh.temperature_celsius is None
        assert fresh.health == "unknown"
