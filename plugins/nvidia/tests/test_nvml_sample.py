"""A sample costs six calls a device and no more Python than a bare loop; memory and processes can be asked alone."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from accel_nvidia.nvml_sample import blank

from accel.model.device import Device, Memory


def test_a_sample_is_six_calls_a_device_and_tells_what_the_probe_told(child: Callable[..., Any]) -> None:
    devices, taken, calls = child("samples", "3", PIDS="1:10")
    assert calls[1:] == [6 * 4, 6 * 4]  # the first also asks for the handles
    assert taken[0] == devices == taken[2]


def test_what_a_device_does_not_support_is_asked_once(child: Callable[..., Any]) -> None:
    _, taken, calls = child("samples", "3", FAULT="nvmlDeviceGetPowerUsage=3;nvmlDeviceGetTemperature=3", PIDS="1:10")
    assert calls[1:] == [4 * 4, 4 * 4]
    assert {(d.power_watts, d.temperature_celsius) for d in taken[2]} == {(None, None)}
    assert taken[2][0].utilization_percent == 97.0


def test_a_device_that_is_lost_between_samples_is_told_without_stale_readings(child: Callable[..., Any]) -> None:
    fault = "nvmlDeviceGetPowerUsage=15,gpu=2,after=2;nvmlDeviceGetMemoryInfo_v2=15,gpu=2,after=2"
    _, (before, after), _ = child("samples", "2", FAULT=fault)
    assert (before[2].health, before[2].power_watts) == ("ok", 72.0)
    assert (after[2].health, after[2].power_watts, after[2].memory_used_bytes) == ("critical", None, None)
    assert after[2].memory_total_bytes == before[2].memory_total_bytes
    assert after[3] == before[3]


def test_more_processes_than_there_was_room_for_are_all_listed(child: Callable[..., Any]) -> None:
    pids = [9000000 + i for i in range(60)]
    _, taken, _ = child("samples", "1", PIDS=",".join(f"{pid}:1" for pid in pids))
    assert [p.pid for p in taken[0][0].processes] == pids


def test_partitions_are_sampled_too(child: Callable[..., Any]) -> None:
    devices, taken, _ = child("samples", "2", MIG_GPUS="0", PIDS="1:10")
    assert [d.id for d in taken[1]][:4] == ["nvidia:0", "nvidia:0/mig0", "nvidia:0/mig1", "nvidia:0/mig2"]
    assert taken[1] == devices


def test_an_old_driver_is_sampled_with_its_own_forms(child: Callable[..., Any]) -> None:
    devices, taken, _ = child("samples", "2", driver="470", PIDS="1:10")
    assert taken[1] == devices


def test_what_cannot_be_sampled_is_unknown_and_not_healthy_and_identity_stays() -> None:
    device = Device(id="nvidia:0", index=0, backend="nvidia", vendor="NVIDIA", kind="gpu", uuid="GPU-1", health="ok")
    stale = replace(device, memory_total_bytes=8, memory_used_bytes=4, power_watts=70.0, processes=())
    assert blank(stale) == replace(device, memory_total_bytes=8, health="unknown")
    assert blank(replace(stale, health="critical")).health == "critical"


def test_memory_and_processes_can_be_asked_alone(child: Callable[..., Any]) -> None:
    memory, processes = child("questions", PIDS="1:10", MIG_GPUS="3", MIG_PROFILES="1g.10gb")
    mib = 1024**2
    assert memory["nvidia:0"] == Memory(
        total_bytes=81559 * mib,
        used_bytes=40964 * mib,
        free_bytes=(81559 - 40964 - 551) * mib,
        reserved_bytes=551 * mib,
    )
    assert memory["nvidia:3/mig0"].total_bytes == 9856 * mib
    assert (memory["nvidia:99"], memory["npu:0"]) == (None, None)
    assert [p.pid for p in processes["nvidia:1"]] == [1]


def test_nvml_is_started_again_where_other_code_has_shut_it_down(child: Callable[..., Any]) -> None:
    memory, processes, watts = child("after_a_shutdown", PIDS="1:10")
    assert memory.total_bytes == 81559 * 1024**2
    assert [p.pid for p in processes] == [1]
    assert watts == 654.0


def test_threads_that_sample_at_once_invent_no_process(child: Callable[..., Any]) -> None:
    found = child("sampled_by_threads", "8", "40", PIDS="11:1,12:1,13:1", LATENCY_US="50")
    assert found == {(11, 12, 13)}


def test_a_forked_child_starts_nvml_for_itself(child: Callable[..., Any]) -> None:
    assert child("after_a_fork") == b"11"


def test_a_probe_of_devices_asks_little_and_says_each_call_before_it(child: Callable[..., Any]) -> None:
    reports, told, given, calls = child("steps", "devices", GPUS="8")
    assert calls <= 8 * 18 + 5
    assert len(told) == calls
    assert given == [d.id for d in reports[0].devices] * 2  # who each is, before what any of them reads


def test_a_probe_of_the_health_asks_each_fact_once(child: Callable[..., Any]) -> None:
    reports, told, _, calls = child("steps", "health", GPUS="8")
    assert calls <= 8 * 55 + 8 * 7 / 2 + 5  # one for each pair of them
    assert len(told) == calls
    assert len({d.nvlinks for d in reports[0].devices}) == 1
    assert len(reports[0].devices[0].nvlinks) == 18


def test_skipped_calls_are_not_made(child: Callable[..., Any]) -> None:
    skipped = ("nvmlDeviceGetPowerUsage@nvidia:1", "nvmlDeviceGetHandleByIndex@nvidia:2")
    reports, told, given, _ = child("steps", "health", *skipped)
    devices = {d.id: d for d in reports[0].devices}
    assert not {("nvmlDeviceGetPowerUsage", "nvidia:1"), ("nvmlDeviceGetHandleByIndex", "nvidia:2")} & set(told)
    assert (devices["nvidia:1"].power_watts, devices["nvidia:1"].temperature_celsius) == (None, 46.0)
    assert (devices["nvidia:2"].uuid, devices["nvidia:2"].health) == (None, "unknown")
    assert set(given) == set(devices)


def test_a_probe_loads_nothing_heavy(child: Callable[..., Any]) -> None:
    loaded = set(child("modules"))
    assert not loaded & {"ctypes.util", "subprocess", "asyncio", "logging", "psutil", "xml.etree.ElementTree"}
    assert "pynvml" not in loaded


def test_the_command_shows_the_devices_of_the_fake_node(fake_nvml: Path) -> None:
    import json
    import os
    import subprocess
    import sys

    environment = {**os.environ, "LD_LIBRARY_PATH": str(fake_nvml / "570"), "FAKENVML_GPUS": "3"}
    done = subprocess.run(
        [sys.executable, "-m", "accel", "devices", "--json"], env=environment, capture_output=True, check=False
    )
    answer = json.loads(done.stdout)
    assert [d["name"] for d in answer["devices"] if d["backend"] == "nvidia"] == ["NVIDIA H100 80GB HBM3"] * 3
