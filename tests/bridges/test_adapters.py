"""The adapters' answers, in the originals' units. What is expected is written by hand, not made by the originals."""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest

from accel.apps.bridges import gpustat, gputil, nvml_errors, nvml_session, pynvml
from accel.apps.bridges.one_vendor import of_one_backend
from accel.model.device import Device
from accel.model.errors import BadInput

NODE = {"FAKENVML_GPUS": "3", "FAKENVML_PIDS": "1:512"}
MIB = 1 << 20


@pytest.fixture
def ascend(on_machine: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two NPUs: the first idle, the second at 71 % and 84 % full. NVML's adapter is started anew."""
    on_machine("ascend-910b-healthy")
    monkeypatch.delenv("ACCEL_BRIDGE", raising=False)
    pynvml._session.cache_clear()
    yield
    pynvml._session.cache_clear()


def device(backend: str, index: int, memory: int | None, **facts: Any) -> Device:
    given = {"vendor": backend, "kind": "gpu", "memory_total_bytes": memory, **facts}
    return Device(id=f"{backend}:{index}", index=index, backend=backend, **given)


def test_a_mixed_machine_answers_for_the_vendor_with_most_memory() -> None:
    big = [device("nvidia", 1, 24 * 2**30), device("nvidia", 0, 24 * 2**30)]
    small = device("intel", 0, None)
    part = replace(big[0], id="nvidia:1/mig0", index=0, parent="nvidia:1")
    cpu = replace(small, id="cpu:0", backend="cpu", kind="cpu", memory_total_bytes=2**40)
    assert [d.id for d in of_one_backend([small, *big, part, cpu])] == ["nvidia:0", "nvidia:1"]
    assert [d.id for d in of_one_backend([small, *big], "Intel")] == ["intel:0"]
    assert of_one_backend([small, *big], "ascend") == ()
    assert of_one_backend([cpu]) == ()


def test_a_backend_that_is_not_here_is_refused_with_those_that_are(
    ascend: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACCEL_BRIDGE", "nvida")
    with pytest.raises(BadInput, match=r"ACCEL_BRIDGE=nvida: there is no device .* Use one of: ascend"):
        gputil.getGPUs()


def test_gputil_gives_shares_and_mebibytes(ascend: None) -> None:
    first, second = gputil.getGPUs()
    assert (second.id, second.name, second.driver) == (1, "910B3", "24.1.0")
    assert (second.load, second.temperature) == (0.71, 53.0)
    assert (second.memoryTotal, second.memoryUsed) == (65536.0, 55210.0)
    assert second.memoryUtil == pytest.approx(0.8424, abs=1e-4)
    assert (first.uuid, first.display_active, first.display_mode) == ("[N/A]", "[N/A]", "[N/A]")


def test_gputil_chooses_by_load_and_memory(ascend: None) -> None:
    assert gputil.getAvailable() == [0]
    assert gputil.getAvailable(limit=9, maxLoad=1, maxMemory=1) == [0, 1]
    assert gputil.getAvailable("last", limit=9, maxLoad=1, maxMemory=1) == [1, 0]
    assert gputil.getAvailable("load", maxLoad=1, maxMemory=1, excludeID=[0]) == [1]
    assert gputil.getAvailable(limit=9, maxLoad=1, maxMemory=1, memoryFree=20000) == [0]
    assert sorted(gputil.getAvailable("random", limit=9, maxLoad=1, maxMemory=1)) == [0, 1]
    assert gputil.getFirstAvailable("memory", maxLoad=1, maxMemory=1) == [0]


def test_gputil_says_when_none_is_free(ascend: None, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError, match="after 2 attempts"):
        gputil.getFirstAvailable(maxLoad=0, attempts=2, interval=0, verbose=True)
    assert capsys.readouterr().out.splitlines()[1] == "Attempt 2 of 2: no GPU is free"


def test_what_gputil_does_not_know_is_nan_and_passes_only_if_asked() -> None:
    unknown = gputil._gpu(device("acme", 0, 2**30, memory_used_bytes=0, memory_free_bytes=2**30))
    assert math.isnan(unknown.load)
    assert math.isnan(unknown.temperature)
    assert gputil.getAvailability([unknown]) == [0]
    assert gputil.getAvailability([unknown], includeNan=True) == [1]
    assert math.isnan(gputil._gpu(device("acme", 0, None)).memoryUtil)


def test_gputil_prints_its_table(ascend: None, capsys: pytest.CaptureFixture[str]) -> None:
    gputil.showUtilization()
    assert capsys.readouterr().out == "| ID | GPU | MEM |\n------------------\n|  0 |  0% |  5% |\n|  1 | 71% | 84% |\n"
    gputil.showUtilization(all=True)
    assert "|| GPU temp. | GPU util. | Memory util. ||" in capsys.readouterr().out


def test_gpustat_gives_megabytes_and_watts_rounded_down(ascend: None) -> None:
    found = gpustat.new_query()
    second = found[1]
    assert (len(found), found.driver_version, gpustat.gpu_count()) == (2, "24.1.0", 2)
    assert (second.index, second.name, second.uuid, second.available) == (1, "910B3", None, True)
    assert (second.memory_total, second.memory_used, second.memory_free) == (65536, 55210, 10326)
    assert (second.utilization, second.temperature, second.power_draw) == (71, 53, 178)
    assert (second.power_limit, second.fan_speed, second.utilization_enc) == (None, None, None)
    assert second["memory.used"] == second.entry["memory.used"] == 55210
    assert second.processes == [
        {
            "pid": 90817,
            "username": None,
            "command": "python3",
            "full_command": None,
            "gpu_memory_usage": 51877,
            "cpu_percent": None,
            "cpu_memory_usage": None,
        }
    ]


def test_gpustat_chooses_places_and_writes_json(ascend: None) -> None:
    out = StringIO()
    gpustat.GPUStatCollection.new_query(id="1").print_json(out)
    read = json.loads(out.getvalue())
    assert list(read) == ["hostname", "driver_version", "query_time", "gpus"]
    assert [gpu["index"] for gpu in read["gpus"]] == [1]
    assert read["gpus"][0]["utilization.gpu"] == 71


def test_gpustat_prints_its_lines(ascend: None) -> None:
    out = StringIO()
    found = gpustat.new_query()
    found.print_formatted(out, show_power=True, show_header=False)
    assert out.getvalue().splitlines() == [
        "[0] 910B3 | 44°C,   0 %,   92 /  ?? W |  3401 / 65536 MB |",
        "[1] 910B3 | 53°C,  71 %,  178 /  ?? W | 55210 / 65536 MB | --(51877M)",
    ]
    out = StringIO()
    found.print_formatted(out, show_cmd=True, show_pid=True, show_codec="enc,dec", show_header=False, gpuname_width=4)
    assert out.getvalue().splitlines()[1] == (
        "[1] …0B3 | 53°C,  71 % (E:  ?? %  D:  ?? %) | 55210 / 65536 MB | python3/90817(51877M)"
    )
    with pytest.raises(ValueError, match="contradict"):
        found.print_formatted(out, force_color=True, no_color=True)


def test_nvml_units_hold_for_an_npu(ascend: None) -> None:
    pynvml.nvmlInit()
    assert pynvml.nvmlDeviceGetCount() == 2
    assert pynvml.nvmlSystemGetDriverVersion() == "24.1.0"
    handle = pynvml.nvmlDeviceGetHandleByPciBusId(b"00000000:C2:00.0")
    assert (pynvml.nvmlDeviceGetIndex(handle), pynvml.nvmlDeviceGetName(handle)) == (1, "910B3")
    memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
    assert (memory.total, memory.used, memory.free) == (65536 * MIB, 55210 * MIB, 10326 * MIB)
    assert pynvml.nvmlDeviceGetUtilizationRates(handle).gpu == 71
    assert pynvml.nvmlDeviceGetUtilizationRates(handle).memory is None
    assert pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU) == 53
    assert pynvml.nvmlDeviceGetPowerUsage(handle) == 178900
    assert [(p.pid, p.usedGpuMemory) for p in pynvml.nvmlDeviceGetComputeRunningProcesses(handle)] == [
        (90817, 51877 * MIB)
    ]
    pci = pynvml.nvmlDeviceGetPciInfo(handle)
    assert (pci.busId, pci.busIdLegacy, pci.bus, pci.pciDeviceId) == (
        "00000000:C2:00.0",
        "0000:C2:00.0",
        0xC2,
        0xD80219E5,
    )
    for ask in (pynvml.nvmlDeviceGetUUID, pynvml.nvmlDeviceGetEnforcedPowerLimit):
        with pytest.raises(pynvml.NVMLError_NotSupported):
            ask(handle)
    with pytest.raises(pynvml.NVMLError_NotSupported):
        pynvml.nvmlDeviceGetCudaComputeCapability(handle)
    with pytest.raises(pynvml.NVMLError_NotSupported):
        pynvml.nvmlSystemGetCudaDriverVersion_v2()
    with pytest.raises(pynvml.NVMLError_NotSupported):
        pynvml.nvmlDeviceGetGraphicsRunningProcesses(handle)
    with pytest.raises(pynvml.NVMLError_FunctionNotFound):
        pynvml.nvmlDeviceGetMemoryInfo(handle, pynvml.nvmlMemory_v2)


def test_nvml_refuses_what_it_refuses(ascend: None) -> None:
    with pytest.raises(pynvml.NVMLError_Uninitialized):
        pynvml.nvmlDeviceGetCount()
    pynvml.nvmlInit()
    pynvml.nvmlInit()
    handle = pynvml.nvmlDeviceGetHandleByIndex(0)
    for index in (-1, 2):
        with pytest.raises(pynvml.NVMLError_InvalidArgument):
            pynvml.nvmlDeviceGetHandleByIndex(index)
    for find, name in ((pynvml.nvmlDeviceGetHandleByUUID, "GPU-x"), (pynvml.nvmlDeviceGetHandleByPciBusId, "c1:00")):
        with pytest.raises(pynvml.NVMLError_NotFound):
            find(name)
    with pytest.raises(pynvml.NVMLError_InvalidArgument):
        pynvml.nvmlDeviceGetTemperature(handle, 5)
    with pytest.raises(pynvml.NVMLError_InvalidArgument):
        pynvml.nvmlDeviceGetName("0")  # type: ignore[arg-type]
    pynvml.nvmlShutdown()
    assert pynvml.nvmlDeviceGetCount() == 2
    pynvml.nvmlShutdown()
    with pytest.raises(pynvml.NVMLError_Uninitialized):
        pynvml.nvmlShutdown()


def test_one_sample_serves_calls_that_come_together(ascend: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from accel.apps import api

    taken: list[int] = []
    now = [100.0]
    sample = api.sample
    monkeypatch.setattr(api, "sample", lambda known: taken.append(len(known)) or sample(known))
    monkeypatch.setattr(nvml_session.time, "monotonic", lambda: now[0])
    pynvml.nvmlInit()
    first, second = (pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(2))
    pynvml.nvmlDeviceGetPowerUsage(first)
    assert taken == []
    now[0] += 0.2
    assert pynvml.nvmlDeviceGetPowerUsage(first) == 92400
    assert pynvml.nvmlDeviceGetTemperature(second, 0) == 53
    assert taken == [2]


def test_without_an_accelerator_each_says_so_as_its_original_does(
    on_machine: Callable[[str], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    on_machine("laptop-without-accelerator")
    pynvml._session.cache_clear()
    assert gputil.getGPUs() == gputil.getAvailable() == []
    assert (gpustat.gpu_count(), gpustat.is_available()) == (0, False)
    with pytest.raises(pynvml.NVMLError_LibraryNotFound) as caught:
        gpustat.new_query()
    assert str(caught.value.__cause__) == "No accelerator was found on this machine. Try  accel doctor"
    with pytest.raises(pynvml.NVMLError_LibraryNotFound):
        pynvml.nvmlInit()
    gputil.showUtilization()
    assert capsys.readouterr().out.startswith("| ID | GPU | MEM |\n---")


def test_the_errors_are_classes_by_code_as_in_pynvml() -> None:
    error = nvml_errors.NVMLError(3)
    assert type(error) is nvml_errors.NVMLError_NotSupported
    assert (error.value, str(error), error.args) == (3, "Not Supported", (3,))
    assert nvml_errors.NVMLError_GpuIsLost().value == nvml_errors.NVML_ERROR_GPU_IS_LOST == 15
    assert type(nvml_errors.NVMLError(7777)) is nvml_errors.NVMLError
    assert {kind.code for kind in nvml_errors.NVMLError.__subclasses__()} == {*range(1, 19), 20, 999}


def test_on_a_node_of_h100s_all_three_give_nvml_figures(on_node: Callable[..., str]) -> None:
    code = """
import json
from accel.apps.bridges import gpustat, gputil, pynvml as N
N.nvmlInit()
h = N.nvmlDeviceGetHandleByIndex(1)
one, two = N.nvmlDeviceGetMemoryInfo(h), N.nvmlDeviceGetMemoryInfo(h, N.nvmlMemory_v2)
rates, limit = N.nvmlDeviceGetUtilizationRates(h), N.nvmlDeviceGetEnforcedPowerLimit(h)
stat, gpu = gpustat.new_query()[1], gputil.getGPUs()[1]
print(json.dumps([
    N.nvmlDeviceGetCount(), N.nvmlDeviceGetCudaComputeCapability(h), one.used, two.used, two.reserved,
    rates.gpu, rates.memory, N.nvmlDeviceGetPowerUsage(h), limit,
    N.nvmlDeviceGetIndex(N.nvmlDeviceGetHandleByUUID(stat.uuid)), N.nvmlSystemGetCudaDriverVersion(),
    stat.memory_used, stat.memory_total, stat.power_draw, stat.power_limit, stat.fan_speed, stat.utilization_enc,
    gpu.load, gpu.memoryUsed, gpu.display_active, gpu.serial,
]))
"""
    said = json.loads(on_node(code, **NODE, FAKENVML_FAN="35", CUDA_VISIBLE_DEVICES="0"))
    used, reserved = 42953867264, 577765376
    assert said == [
        *(3, [9, 0], used + reserved, used, reserved, 42, 21, 324000, 700000, 1, 12080),
        *(40964, 81559, 324, 700, 35, 0),
        *(0.42, 40964.0, "Disabled", "1652323001001"),
    ]


def test_importing_accel_or_listing_devices_loads_no_bridge(on_node: Callable[..., str]) -> None:
    code = "import sys, accel; accel.devices(); print([n for n in sys.modules if 'bridges' in n])"
    assert on_node(code).strip() == "[]"
