"""The backend on machines that are folders: a board, partitions, a missing driver, tools that fail."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_amd import VENDOR
from accel_amd.model import AmdDevice
from accel_amd.visibility import visible

from accel.facts.infer import infer
from accel.facts.questions import Facts
from accel.machine.recorded import RecordedMachine
from accel.model.merge import merged_devices
from accel.model.observation import Noted
from accel.model.snapshot import Snapshot
from accel.specs import load
from accel.vendors.contract.backend import Request
from accel.vendors.contract.check import Problem
from accel.vendors.contract.watching import Wanted
from accel.vendors.toolkit.vendor_backend import VendorBackend

BUS = "/sys/bus/pci/devices"
NODES = "/sys/class/kfd/kfd/topology/nodes"
Machines = Callable[..., RecordedMachine]


@pytest.fixture
def machine(tmp_path: Path) -> Machines:
    def recorded(**facts: Any) -> RecordedMachine:
        (tmp_path / "machine.yaml").write_text(yaml.safe_dump(facts))
        return RecordedMachine(tmp_path)

    return recorded


def function(address: str, device: str, kind: str = "0x038000", **files: str) -> dict[str, str]:
    every = {"vendor": "0x1002", "device": device, "class": kind, **files}
    return {f"{BUS}/{address}/{name}": f"{value}\n" for name, value in every.items()}


def node(number: int, location: int, target: int, gpu_id: int, device: int, **more: int) -> dict[str, str]:
    facts = {
        "simd_count": 8,
        "simd_per_cu": 4,
        "vendor_id": 4098,
        "device_id": device,
        "location_id": location,
        "gfx_target_version": target,
        "drm_render_minor": 127 + number,
        **more,
    }
    text = "".join(f"{name} {value}\n" for name, value in facts.items())
    return {f"{NODES}/{number}/properties": text, f"{NODES}/{number}/gpu_id": f"{gpu_id}\n"}


BOARD = {
    **function("0000:05:00.0", "0x740f", numa_node="1", unique_id="11223344aabbccdd", mem_info_vram_total="68702699520",
               mem_info_vram_used="1048576", mem_info_gtt_total="1000", mem_info_gtt_used="10", gpu_busy_percent="7"),
    **{f"{BUS}/0000:05:00.0/hwmon/hwmon3/{name}": f"{value}\n" for name, value in {
        "temp1_input": 41000, "temp1_label": "edge", "temp2_input": 45000, "temp2_label": "junction",
        "temp2_crit": 100000,
        "temp3_input": 39000, "temp3_label": "mem", "power1_average": 43000000, "power1_cap": 300000000,
        "freq1_input": 800000000, "freq1_label": "sclk"}.items()},
    f"{BUS}/0000:05:00.0/ras/umc_err_count": "ue: 0\nce: 3\n",
    f"{BUS}/0000:05:00.0/ras/gfx_err_count": "ue: 0\nce: 1\n",
    **node(1, 0x500, 90010, 777, 0x740F, unique_id=0x11223344AABBCCDD),
    "/sys/class/kfd/kfd/proc/4242/vram_777": "2048\n",
    "/proc/4242/comm": "python3\n",
    "/sys/module/amdgpu/version": "6.10.5\n",
}  # fmt: skip
LINKS = {f"{BUS}/0000:05:00.0/driver": "../../../../bus/pci/drivers/amdgpu"}
NODE_FILES = ["/dev/kfd", "/dev/dri/renderD128"]


def devices(reports: Any) -> list[AmdDevice]:
    return [d for d in merged_devices(reports)[0] if isinstance(d, AmdDevice)]


def noted(reports: Any) -> list[str]:
    return [one.fact for report in reports for one in report.observations if isinstance(one, Noted)]


def problems(name: str, reports: Any) -> list[Problem]:
    from accel.vendors.toolkit.members import checks_of

    check = next(c for c in checks_of("accel_amd") if c.name == name)
    snapshot = Snapshot(reports=tuple(reports), origin="live")
    return list(check.run(Facts(snapshot, infer(snapshot, load(), ())[0]), load()))


@pytest.mark.parametrize(
    ("facts", "here"),
    [
        ({"files": BOARD, "links": LINKS}, True),
        ({"files": function("0000:05:00.0", "0x74a1", "0x120000")}, True),
        ({"files": function("0000:05:00.1", "0xab28", "0x040300")}, False),
        ({"files": function("0000:04:00.0", "0x1478", "0x060400")}, False),
        ({"files": {f"{BUS}/0000:00:00.0/vendor": "0x1022\n", f"{BUS}/0000:00:00.0/device": "0x14d8\n"},
          "nodes": ["/dev/kfd"]}, False),
        ({"nodes": ["/dev/kfd"]}, True),
        ({}, False),
    ],
)  # fmt: skip
def test_a_gpu_is_told_from_bridges_sound_and_processors(machine: Machines, facts: dict[str, Any], here: bool) -> None:
    assert VendorBackend(VENDOR).detect(machine(**facts)) is here


def test_the_files_give_a_whole_record(machine: Machines) -> None:
    reports = VendorBackend(VENDOR).probe(machine(files=BOARD, links=LINKS, nodes=NODE_FILES), Request())
    (device,) = devices(reports)
    assert (device.id, device.pci_address, device.pci_id) == ("amd:0", "0000:05:00.0", "1002:740f")
    assert (device.compute_capability, device.uuid, device.node_id) == ("gfx90a", "GPU-11223344aabbccdd", 1)
    assert device.memory_total_bytes == 68702699520
    assert device.memory_free_bytes == 68702699520 - 1048576
    assert (device.temperature_celsius, device.junction_temperature_celsius, device.slowdown_celsius) == (41, 45, 100)
    assert (device.power_watts, device.power_limit_watts, device.clock_sclk_mhz) == (43, 300, 800)
    assert (device.utilization_percent, device.ecc_corrected, device.ecc_uncorrected) == (7, 4, 0)
    assert (device.driver_name, device.driver_version, device.health) == ("amdgpu", "6.10.5", "unknown")
    assert device.processes is not None
    assert [(p.pid, p.name, p.memory_bytes) for p in device.processes] == [(4242, "python3", 2048)]
    assert noted(reports) == []
    assert problems("amd-gpu-unhealthy", reports) == []


def test_in_a_container_a_pid_of_the_host_gets_no_name(machine: Machines) -> None:
    found = VendorBackend(VENDOR).processes(machine(files=BOARD, links=LINKS, nodes=["/.dockerenv"]))
    (process,) = found["amd:0"] or ()
    assert (process.pid, process.name) == (4242, None)


def test_a_sleeping_gpu_is_not_woken(machine: Machines) -> None:
    files = {**BOARD, f"{BUS}/0000:05:00.0/power/runtime_status": "suspended\n"}
    commands = [{"argv": ["amd-smi", "static", "--json"], "stdout": '[{"gpu": 0, "usage": {"gfx_activity": 5}}]'}]
    reports = VendorBackend(VENDOR).probe(
        machine(files=files, links=LINKS, nodes=NODE_FILES, commands=commands), Request(depth="health")
    )
    (device,) = devices(reports)
    assert device.runtime_suspended is True
    assert (device.temperature_celsius, device.utilization_percent, device.memory_used_bytes) == (None, None, None)
    assert any("sleeps" in gap.reason for report in reports for gap in report.gaps)


def test_a_sample_takes_the_readings_afresh(machine: Machines) -> None:
    backend = VendorBackend(VENDOR)
    (device,) = devices(backend.probe(machine(files=BOARD, links=LINKS), Request()))
    later = {**BOARD, f"{BUS}/0000:05:00.0/gpu_busy_percent": "93\n"}
    del later[f"{BUS}/0000:05:00.0/mem_info_vram_used"]
    (again,) = backend.sample(machine(files=later, links=LINKS), [device])
    assert (again.utilization_percent, again.memory_used_bytes, again.name) == (93, None, device.name)
    memory = backend.memory(machine(files=BOARD, links=LINKS), "amd:0")
    assert memory is not None
    assert memory.used_bytes == 1048576
    assert backend.memory(machine(files=BOARD, links=LINKS), "amd:7") is None


def test_partitions_are_gpus_of_their_own(machine: Machines) -> None:
    files = {
        **function("0000:0a:00.0", "0x74a1", "0x120000", unique_id="4d", current_compute_partition="CPX",
                   current_memory_partition="NPS4", mem_info_vram_total="206141652992", gpu_busy_percent="5"),
        **node(2, 0xA00, 90402, 11, 0x74A1, unique_id=77),
        **node(3, 0xA01, 90402, 12, 0x74A1, unique_id=77),
        f"{NODES}/3/mem_banks/0/properties": "heap_type 1\nsize_in_bytes 1073741824\n",
    }  # fmt: skip
    found = devices(VendorBackend(VENDOR).probe(machine(files=files), Request()))
    assert [(d.id, d.pci_address, d.partition_id) for d in found] == [
        ("amd:0", "0000:0a:00.0", 0),
        ("amd:1", "0000:0a:00.1", 1),
    ]
    assert [d.memory_total_bytes for d in found] == [None, 1073741824]
    assert {d.compute_partition for d in found} == {"CPX"}
    assert [d.uuid for d in found] == [None, None]
    assert [d.board for d in found] == ["0000:0a:00.0"] * 2
    assert {(d.parent, d.is_partition, d.is_top_level) for d in found} == {("amd:0000:0a:00.0", True, True)}
    assert len({d.key for d in found}) == 2
    assert [(d.compute_share, d.memory_share) for d in found] == [(0.5, None), (0.5, 0.0052)]


def test_partitions_name_their_board_where_the_bus_is_hidden(machine: Machines) -> None:
    files = {
        **node(2, 0xA00, 90402, 11, 0x74A1, unique_id=77),
        **node(3, 0xA01, 90402, 12, 0x74A1, unique_id=77),
        **node(4, 0xB00, 90402, 13, 0x74A1, unique_id=78),
        **node(5, 0xC00, 90402, 14, 0x74A1, unique_id=2**64 - 1),
        **node(6, 0xC01, 90402, 15, 0x74A1, unique_id=2**64 - 1),
    }
    found = devices(VendorBackend(VENDOR).probe(machine(files=files, nodes=["/dev/kfd"]), Request()))
    assert [d.parent for d in found] == ["amd:0000:0a:00.0"] * 2 + [None] + ["amd:0000:0c:00.0"] * 2


def test_a_board_in_one_piece_is_no_part_of_another(machine: Machines) -> None:
    (device,) = devices(VendorBackend(VENDOR).probe(machine(files=BOARD, links=LINKS), Request()))
    assert (device.board, device.compute_share, device.memory_share, device.is_partition) == (None, None, None, False)


def test_a_hidden_bus_leaves_kfds_nodes(machine: Machines) -> None:
    files = node(1, 0x500, 110000, 5, 0x744C)
    (device,) = devices(VendorBackend(VENDOR).probe(machine(files=files, nodes=["/dev/kfd"]), Request()))
    assert (device.compute_capability, device.pci_address) == ("gfx1100", "0000:05:00.0")


def test_a_gpu_without_its_driver_is_a_fault(machine: Machines) -> None:
    reports = VendorBackend(VENDOR).probe(machine(files=function("0000:05:00.0", "0x740f")), Request(depth="health"))
    (device,) = devices(reports)
    assert (device.driver_name, device.driver_version) == ("", None)
    (problem,) = problems("amd-driver-not-loaded", reports)
    assert problem.devices == ("amd:0",)


def test_a_gpu_given_to_a_virtual_machine_is_no_fault(machine: Machines) -> None:
    links = {f"{BUS}/0000:05:00.0/driver": "../../../../bus/pci/drivers/vfio-pci"}
    reports = VendorBackend(VENDOR).probe(machine(files=function("0000:05:00.0", "0x740f"), links=links), Request())
    assert problems("amd-driver-not-loaded", reports) == []


def test_closed_nodes_are_named(machine: Machines) -> None:
    closed = machine(files=BOARD, links=LINKS, nodes=NODE_FILES, inaccessible=NODE_FILES)
    reports = VendorBackend(VENDOR).probe(closed, Request())
    assert noted(reports) == ["kfd-denied"]
    assert problems("amd-device-permission", reports)


STATIC = """[{"gpu": 0, "asic": {"market_name": "MI210", "asic_serial": "0x11223344AABBCCDD"},
 "bus": {"bdf": "0000:05:00.0"},
 "uuid": "11ff740f-0000-1000-8022-3344aabbccdd", "board": {"product_serial": "PS1"}}]"""
METRIC = (
    """{"gpu_data": [{"gpu": 0, "ecc": {"total_uncorrectable_count": 2}, "power": {"throttle_status": "THROTTLED"}}]}"""
)


def test_amd_smi_adds_to_the_files_and_makes_no_second_gpu(machine: Machines) -> None:
    commands = [
        {"argv": ["amd-smi", "static", "--json"], "stdout": STATIC},
        {"argv": ["amd-smi", "metric", "--json"], "stdout": METRIC},
    ]
    asked = machine(files=BOARD, links=LINKS, nodes=NODE_FILES, commands=commands)
    (device,) = devices(VendorBackend(VENDOR).probe(asked, Request(depth="health")))
    assert (device.serial, device.throttled, device.uuid) == ("PS1", True, "GPU-11223344aabbccdd")
    (device,) = devices(VendorBackend(VENDOR).probe(asked, Request()))
    assert device.serial is None


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ([], "rocm-smi is not installed"),
        ([{"argv": ["amd-smi", "static", "--json"], "timed_out": True}], "was killed"),
        ([{"argv": ["amd-smi", "static", "--json"], "exit_code": 1, "stderr": "INIT_ERROR"}], "INIT_ERROR"),
        ([{"argv": ["amd-smi", "static", "--json"], "stdout": "[{"}], "not known"),
    ],
)  # fmt: skip
def test_a_tool_that_fails_costs_a_gap(machine: Machines, commands: list[Any], reason: str) -> None:
    reports = VendorBackend(VENDOR).probe(
        machine(files=BOARD, links=LINKS, nodes=NODE_FILES, commands=commands), Request(depth="health")
    )
    assert [d.id for d in devices(reports)] == ["amd:0"]
    assert any(reason in gap.reason for report in reports for gap in report.gaps)


def test_a_call_that_hung_before_is_not_made_again(machine: Machines) -> None:
    skip = frozenset({("amd-smi static --json", None)})
    commands = [{"argv": ["amd-smi", "static", "--json"], "stdout": STATIC}]
    asked = machine(files=BOARD, links=LINKS, nodes=NODE_FILES, commands=commands)
    (device,) = devices(VendorBackend(VENDOR).probe(asked, Request(depth="health", skip=skip)))
    assert device.serial is None


def gpus(*nodes: int | None) -> list[AmdDevice]:
    return [
        AmdDevice(id=f"amd:{i}", index=i, backend="amd", vendor="AMD", kind="gpu", node_id=n, uuid=f"GPU-{i:016x}")
        for i, n in enumerate(nodes)
    ]


@pytest.mark.parametrize(
    ("variables", "shown", "names"),
    [
        ({}, [True, True, True], ["cuda:0", "cuda:1", "cuda:2"]),
        ({"ROCR_VISIBLE_DEVICES": "2,0"}, [True, False, True], ["cuda:1", None, "cuda:0"]),
        ({"ROCR_VISIBLE_DEVICES": ""}, [False, False, False], [None, None, None]),
        ({"HIP_VISIBLE_DEVICES": ""}, [True, True, True], ["cuda:0", "cuda:1", "cuda:2"]),
        ({"HIP_VISIBLE_DEVICES": "-1"}, [False, False, False], [None, None, None]),
        ({"HIP_VISIBLE_DEVICES": "1,9,0"}, [False, True, False], [None, "cuda:0", None]),
        ({"HIP_VISIBLE_DEVICES": "", "CUDA_VISIBLE_DEVICES": "2"}, [False, False, True], [None, None, "cuda:0"]),
        ({"HIP_VISIBLE_DEVICES": "0", "CUDA_VISIBLE_DEVICES": "2"}, [True, False, False], ["cuda:0", None, None]),
        ({"ROCR_VISIBLE_DEVICES": "1,2", "HIP_VISIBLE_DEVICES": "1"}, [False, False, True], [None, None, "cuda:0"]),
        ({"ROCR_VISIBLE_DEVICES": "1", "HIP_VISIBLE_DEVICES": "1"}, [False, False, False], [None, None, None]),
        ({"ROCR_VISIBLE_DEVICES": "GPU-0000000000000001"}, [False, True, False], [None, "cuda:0", None]),
        ({"GPU_DEVICE_ORDINAL": "1"}, [True, True, True], ["cuda:0", "cuda:1", "cuda:2"]),
    ],
)
def test_the_masks_apply_one_after_the_other(
    variables: dict[str, str], shown: list[bool], names: list[str | None]
) -> None:
    found = visible(gpus(1, 2, 3), variables)
    assert [d.visible for d in found] == shown
    assert [d.runtime_names for d in found] == [(name,) if name else () for name in names]


def test_rocm_counts_in_the_order_of_kfds_nodes() -> None:
    found = visible(gpus(3, 1), {"HIP_VISIBLE_DEVICES": "0"})
    assert [d.visible for d in found] == [False, True]


def test_without_the_order_an_index_names_no_certain_gpu() -> None:
    assert [d.visible for d in visible(gpus(None, None), {"HIP_VISIBLE_DEVICES": "0"})] == [None, None]
    assert [d.visible for d in visible(gpus(None, None), {})] == [True, True]
    assert [d.visible for d in visible(gpus(None, None), {"ROCR_VISIBLE_DEVICES": ""})] == [False, False]
    (alone,) = visible(gpus(None), {"HIP_VISIBLE_DEVICES": "0"})
    assert alone.runtime_names == ("cuda:0",)


def test_a_uuid_names_its_gpu_whatever_the_order() -> None:
    mask = {"ROCR_VISIBLE_DEVICES": "GPU-0000000000000001"}
    assert [d.visible for d in visible(gpus(None, None), mask)] == [False, True]


def test_watched_it_shows_who_draws_and_copies_beside_whom_kfd_lists(machine: Machines) -> None:
    def at(seconds: float, gfx: int) -> RecordedMachine:
        client = f"drm-pdev:\t0000:05:00.0\ndrm-client-id:\t9\ndrm-memory-vram:\t2048 KiB\ndrm-engine-gfx:\t{gfx} ns\n"
        opened = {"/proc/4242/fd/3": "/dev/dri/renderD128", "/proc/71/fd/4": "/dev/dri/renderD128"}
        told = {"/proc/4242/fdinfo/3": client.replace(str(gfx), "5"), "/proc/71/fdinfo/4": client}
        host = {"/proc/self/ns/pid": "pid:[4026531836]"}
        files = {**BOARD, **told, "/proc/71/status": "Name:\tXorg\nUid:\t0\t0\t0\t0\n"}
        return machine(files=files, links={**LINKS, **opened, **host}, nodes=NODE_FILES, seconds=seconds)

    backend = VendorBackend(VENDOR)
    found = devices(backend.probe(at(0.0, 0), Request()))
    backend.readings(at(0.0, 0), found, Wanted())
    (readings,) = backend.readings(at(2.0, 500_000_000), found, Wanted())
    assert (readings.busy_percent, readings.power_watts, readings.memory_used_bytes) == (7, 43, 1048576)
    # The kernel counts no kernels of ROCm: that the training did nothing is not known.
    told = [(one.pid, one.name, one.memory_bytes, one.busy_percent) for one in readings.processes or ()]
    assert told == [(4242, "python3", 2048, None), (71, "Xorg", 2 << 20, 25.0)]
