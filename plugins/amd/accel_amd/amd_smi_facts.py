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
from accel.specs.store import bundled
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


_READ: Final[Mapping[str, Callable[[object], Any]]] = {
    one.__name__.lstrip("_"): one
    for one in (
        *(product_name, whole_uuid, word, percent, celsius, watts, count),
        *(_target, _serial, _address, _pci_id, _numa, _megabytes, _level, _throttled),
    )
}
# A fact, how it is read, and where it is in the output.
_FACTS: Final[Mapping[str, tuple[Callable[[object], Any], str]]] = {
    row["name"]: (_READ[row["read"]], row["at"]) for row in bundled().table("amd/smi_fields")["fields"]
}
