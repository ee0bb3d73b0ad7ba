"""The facts about one GPU in amd-smi's output, which has the same keys as text, JSON and CSV. Pure.

    GPU: 0                                    {"gpu": 0, "asic": {"market_name": "MI300A", …}, …}
        ASIC:
            MARKET_NAME: MI300A
Seen: amd-smi 23 to 26. Names that changed: power.socket_power was current_socket_power and average_socket_power;
temperature.edge was edge_temperature; limit.socket_power became limit.ppt0.socket_power_limit.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from accel.model.device import Process
from accel.text.amounts import pci_address
from accel_amd.model import AmdDevice
from accel_amd.quantities import celsius, count, number, percent, product_name, size_bytes, watts, word
from accel_amd.record import gpu, knows_anything, uuid_of, whole_uuid
from accel_amd.targets import plain_target

Tree = Mapping[str, Any]
SECTIONS: Final = frozenset(
    {
        "asic", "bus", "vbios", "limit", "driver", "board", "ras", "partition", "vram", "usage", "power", "clock",
        "temperature", "pcie", "ecc", "ecc_blocks", "ecc_block", "fan", "mem_usage", "process_info", "process_list",
        "process", "numa", "xgmi", "voltage", "overdrive", "perf_level", "throttle", "energy", "bdf", "gpu_bdf",
        "uuid", "kfd_id", "node_id", "voltage_curve", "xgmi_err", "fw_list", "bad_pages",
    }
)  # fmt: skip
_NO_PROCESS: Final = ("no running process", "no process")


def device(tree: Tree, rocr_uuid_elsewhere: bool = False) -> AmdDevice | None:
    """Return the GPU of one entry, with lower-case keys; None if it is not an AMD GPU or has no facts.

    rocr_uuid_elsewhere  the text also names GPUs by ROCr's UUID: amd-smi's other form would count each twice
    """
    index = count(tree.get("gpu"))
    vendor = word(_at(tree, "asic.vendor_id vendor_id"))
    if index is None or index > 1023 or (vendor is not None and vendor.lower() not in ("0x1002", "4098", "1002")):
        return None
    facts: dict[str, Any] = {name: read(_at(tree, paths)) for name, (read, paths) in _FACTS.items()}
    facts["name"] = facts["name"] or product_name(_at(tree, "board.product_name product_name"))
    edge, junction = facts["edge_temperature_celsius"], facts["junction_temperature_celsius"]
    facts["temperature_celsius"] = junction if edge is None else edge
    if rocr_uuid_elsewhere:
        facts["uuid"] = None
    elif facts["uuid"] is None:
        facts["uuid"] = uuid_of(facts["unique_id"])
    known = gpu(index, processes=processes(tree), **facts)
    return known if knows_anything(known) else None


def processes(tree: Tree) -> tuple[Process, ...] | None:
    """Return the processes of an entry; () if it says there are none, None if it does not mention any."""
    listed = next((tree[key] for key in ("process_list", "process_info", "process") if key in tree), None)
    if listed is None:
        return None
    items = listed if isinstance(listed, Sequence) and not isinstance(listed, str) else [listed]
    found: list[Process] = []
    for item in items:
        info = item.get("process_info", item) if isinstance(item, Mapping) else item
        if not isinstance(info, Mapping):
            if isinstance(info, str) and info.lower().startswith(_NO_PROCESS):
                continue
            return None
        pid = count(info.get("pid"))
        if pid is not None:
            used = _at(info, "memory_usage.vram_mem vram_mem vram mem_usage mem")
            found.append(Process(pid=pid, name=word(info.get("name")), memory_bytes=size_bytes(used, "B")))
    return tuple(found)


def _at(tree: Tree, paths: str) -> object:
    """Return the value at the first of these paths (keys separated by blanks) that has one."""
    return next((value for value in _values(tree, paths.split()) if word(value) is not None), None)


def _values(tree: Tree, paths: Sequence[str]) -> Iterator[object]:
    for path in paths:
        value: object = tree
        for key in path.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        yield value


def _megabytes(value: object) -> int | None:
    return size_bytes(value, "MB")


def _pci_id(device_id: object) -> str | None:
    found = count(device_id)
    return f"1002:{found:04x}" if found is not None and 0 < found <= 0xFFFF else None


def _address(value: object) -> str | None:
    return pci_address(word(value))


def _target(value: object) -> str | None:
    return plain_target(word(value))


def _serial(value: object) -> int | None:
    """Return the board's unique ID, which amd-smi prints as hex digits, with or without 0x."""
    text = (word(value) or "").lower().removeprefix("0x")
    return (int(text, 16) or None) if 8 <= len(text) <= 16 and all(c in "0123456789abcdef" for c in text) else None


def _numa(value: object) -> int | None:
    found = number(value)
    return int(found) if found is not None and 0 <= found < 4096 else None


def _throttled(value: object) -> bool | None:
    text = (word(value) or "").upper()
    return {"THROTTLED": True, "UNTHROTTLED": False, "TRUE": True, "FALSE": False}.get(text)


def _level(value: object) -> str | None:
    """Return "auto" for "AMDSMI_DEV_PERF_LEVEL_AUTO": the kernel's name."""
    text = (word(value) or "").upper().removeprefix("AMDSMI_DEV_PERF_LEVEL_")
    return {"STABLE_STD": "profile_standard", "STABLE_PEAK": "profile_peak"}.get(text, text.lower()) or None


# A fact, how it is read, and where it stands: the paths in nested answers, then the columns of flat ones.
_FACTS: Final[Mapping[str, tuple[Callable[[object], Any], str]]] = {
    "name": (product_name, "asic.market_name market_name"),
    "compute_capability": (_target, "asic.target_graphics_version target_graphics_version"),
    "uuid": (whole_uuid, "uuid gpu_uuid"),
    "unique_id": (_serial, "asic.asic_serial asic_serial"),
    "serial": (word, "board.product_serial product_serial"),
    "pci_address": (_address, "bus.bdf bdf gpu_bdf"),
    "pci_id": (_pci_id, "asic.device_id device_id"),
    "numa_node": (_numa, "numa.node"),
    "driver_version": (word, "driver.version driver.driver_version driver_version"),
    "memory_total_bytes": (
        _megabytes,
        "mem_usage.total_vram vram.size vram.vram_size vram.vram_size_mb total_vram vram_total vram_size",
    ),
    "memory_used_bytes": (_megabytes, "mem_usage.used_vram fb_usage.fb_used used_vram vram_used"),
    "memory_free_bytes": (_megabytes, "mem_usage.free_vram free_vram vram_free"),
    "gtt_total_bytes": (_megabytes, "mem_usage.total_gtt total_gtt"),
    "gtt_used_bytes": (_megabytes, "mem_usage.used_gtt used_gtt"),
    "utilization_percent": (percent, "usage.gfx_activity usage.gfx_usage gfx_activity gfx_util gfx"),
    "memory_utilization_percent": (percent, "usage.umc_activity usage.mem_usage umc_activity mem_util mem_activity"),
    "edge_temperature_celsius": (celsius, "temperature.edge temperature.edge_temperature edge edge_temperature"),
    "junction_temperature_celsius": (
        celsius,
        "temperature.hotspot temperature.hotspot_temperature temperature.junction temperature.junction_temperature "
        "hotspot hotspot_temperature junction_temperature",
    ),
    "memory_temperature_celsius": (
        celsius,
        "temperature.mem temperature.mem_temperature temperature.vram memory_temperature mem_temperature",
    ),
    "slowdown_celsius": (celsius, "limit.slowdown_hotspot_temperature slowdown_hotspot_temperature"),
    "memory_slowdown_celsius": (celsius, "limit.slowdown_vram_temperature slowdown_vram_temperature"),
    "shutdown_celsius": (celsius, "limit.shutdown_hotspot_temperature shutdown_hotspot_temperature"),
    "power_watts": (
        watts,
        "power.socket_power power.current_socket_power power.average_socket_power power.current_power "
        "power.average_power current_socket_power average_socket_power socket_power power_usage",
    ),
    "power_limit_watts": (
        watts,
        "limit.socket_power limit.socket_power_limit limit.ppt0.socket_power_limit limit.current_power limit.power "
        "power.power_limit power_cap",
    ),
    "power_maximum_watts": (watts, "limit.max_power limit.max_power_limit limit.ppt0.max_power_limit max_power"),
    "performance_level": (_level, "perf_level power.perf_level clock.perf_level"),
    "throttled": (_throttled, "power.throttle_status throttle_status"),
    "fan_percent": (percent, "fan.usage fan.fan_usage"),
    "fan_rpm": (count, "fan.rpm"),
    "clock_sclk_mhz": (count, "clock.gfx_0.clk clock.gfx.cur_clk clock.gfx.clk clock.gfx.current gfx_clock gfx_clk"),
    "clock_mclk_mhz": (count, "clock.mem_0.clk clock.mem.cur_clk clock.mem.clk clock.mem.current mem_clock mem_clk"),
    "ecc_corrected": (
        count,
        "ecc.total_correctable_count ecc.correctable total_correctable_count total_correctable",
    ),
    "ecc_uncorrected": (
        count,
        "ecc.total_uncorrectable_count ecc.uncorrectable total_uncorrectable_count total_uncorrectable",
    ),
    "ecc_deferred": (count, "ecc.total_deferred_count total_deferred_count total_deferred"),
    "pcie_width_current": (count, "pcie.width pcie.current_lanes pcie_bus.current_lanes"),
    "pcie_width_maximum": (count, "bus.max_pcie_width bus.max_pcie_lanes max_pcie_width"),
    "pcie_replay_count": (count, "pcie.replay_count replay_count pcie_replay"),
    "oam_id": (count, "asic.oam_id asic.xgmi_physical_id oam_id"),
    "node_id": (count, "node_id kfd.node_id"),
    "kfd_id": (count, "kfd_id kfd.kfd_id"),
    "partition_id": (count, "partition_id kfd.partition_id kfd.current_partition_id partition.partition_id"),
    "compute_partition": (word, "partition.compute_partition partition.accelerator_partition compute_partition"),
    "memory_partition": (word, "partition.memory_partition memory_partition"),
    **dict.fromkeys(("compute_units", "multiprocessors"), (count, "asic.num_compute_units num_compute_units")),
    "vbios_version": (word, "vbios.version ifwi.version"),
}
