"""AMD's GPUs according to the kernel: the PCI bus, amdgpu's files and sensors, KFD's topology. Starts no process.

/sys/bus/pci/devices/<address>/
    vendor device class numa_node driver -> amdgpu       the bus
    mem_info_vram_total mem_info_vram_used mem_info_gtt_*  bytes
    gpu_busy_percent mem_busy_percent                       of the last moment
    hwmon/hwmon<n>/temp<m>_input, _label, _crit           millidegrees; labels edge, junction, mem
                   power1_average or power1_input, power1_cap, power1_cap_max, power1_cap_default   microwatts
                   freq<m>_input, _label                  hertz; labels sclk, mclk
                   fan1_input (rpm), pwm1, pwm1_max
    ras/umc_err_count                                     "ue: 0\\nce: 3\\n", one file a block
    ras/gpu_vram_bad_pages                                "0x00000001 : 0x00001000 : R", a page: R retired,
                                                          P is about to be, F could not be
    power_dpm_force_performance_level                     "auto", "low", "high", "manual", "profile_standard" …
    gpu_metrics                                           binary: gpu_metrics.py, of watching alone
    unique_id product_name serial_number vbios_version current_compute_partition current_memory_partition
    power/runtime_status                                  "suspended": reading a sensor would wake the GPU
/sys/class/kfd/kfd/topology/nodes/<n>                     which target; the order in which ROCm counts
Source  Linux Documentation/gpu/amdgpu: driver-misc, thermal, ras
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.machine.files import file_text
from accel.model.dataclass import replace
from accel.text.pattern import pattern
from accel_amd.kfd import node_device, properties
from accel_amd.model import AmdDevice
from accel_amd.presence import BUS, gpu_addresses
from accel_amd.quantities import celsius, count, number, percent, product_name
from accel_amd.record import BACKEND, gpu, joined, uuid_of, with_boards

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

NODES: Final = "/sys/class/kfd/kfd/topology/nodes"
PROCESSES: Final = "/sys/class/kfd/kfd/proc"
_SENSORS: Final = {
    "edge": "edge_temperature_celsius",
    "junction": "junction_temperature_celsius",
    "mem": "memory_temperature_celsius",
}


def gpus(machine: "Machine") -> tuple[AmdDevice, ...]:
    """Return the GPUs, numbered by PCI address as in amd-smi and rocm-smi, partitions in KFD's order."""
    nodes = kfd_nodes(machine)
    found: list[AmdDevice] = []
    for address in gpu_addresses(machine):
        board = _board(machine, address.lower())
        # A partition has the board's bus number and its own function number, without a PCI device.
        own = [n for n in nodes if n.pci_address == board.pci_address or _is_partition(n, board, nodes)]
        if len(own) > 1:
            units = [node.compute_units for node in own]
            for part, node in enumerate(own):
                # The board's sensors apply to each partition, its memory does not.
                whole = replace(board, memory_total_bytes=None, memory_used_bytes=None, memory_free_bytes=None)
                part_of = replace(
                    joined(node, whole),
                    partition_id=part,
                    board=board.pci_address,
                    parent=f"{BACKEND}:{board.pci_address}",
                    compute_share=_share(node.compute_units, None if None in units else sum(filter(None, units))),
                    memory_share=_share(node.memory_total_bytes, board.memory_total_bytes),
                )
                found.append(part_of)
        else:
            # The bus's value takes precedence over KFD's, which excludes the firmware's reserve.
            found.append(joined(board, own[0]) if own else board)
    if not found:  # a container can hide the bus and show the topology
        found = list(with_boards(nodes))
    shared = [d.uuid for d in found]
    return tuple(
        replace(d, id=f"amd:{i}", index=i, uuid=d.uuid if shared.count(d.uuid) == 1 else None)
        for i, d in enumerate(found)
    )


def _share(part: int | None, whole: int | None) -> float | None:
    return round(part / whole, 4) if part and whole and part <= whole else None


def _is_partition(node: AmdDevice, board: AmdDevice, nodes: "tuple[AmdDevice, ...]") -> bool:
    same_board = node.unique_id is not None and node.unique_id == board.unique_id
    mine = (board.pci_address or "").rpartition(".")[0]
    same_slot = bool(mine) and (node.pci_address or "").startswith(f"{mine}.")
    return same_board and same_slot


def readings(machine: "Machine", device: AmdDevice) -> dict[str, Any]:
    """Return the current values of the changing fields.

    None if the driver does not report them, or the GPU is suspended.
    """
    folder = board_folder(device)
    asleep = file_text(machine, f"{folder}/power/runtime_status") == "suspended"
    facts: dict[str, Any] = dict.fromkeys((*_SENSORS.values(), *_CHANGING))
    facts["runtime_suspended"] = asleep
    if asleep:
        return facts
    if device.partition_id is None:
        used, total = (count(file_text(machine, f"{folder}/mem_info_vram_{name}")) for name in ("used", "total"))
        facts["memory_used_bytes"] = used
        facts["memory_free_bytes"] = None if used is None or total is None else max(0, total - used)
        facts["gtt_used_bytes"] = count(file_text(machine, f"{folder}/mem_info_gtt_used"))
    facts["utilization_percent"] = percent(file_text(machine, f"{folder}/gpu_busy_percent"))
    facts["memory_utilization_percent"] = percent(file_text(machine, f"{folder}/mem_busy_percent"))
    for name in machine.list(f"{folder}/hwmon"):
        facts.update(_sensors(machine, f"{folder}/hwmon/{name}"))
    edge = facts["edge_temperature_celsius"]
    facts["temperature_celsius"] = facts["junction_temperature_celsius"] if edge is None else edge
    facts.update(_errors(machine, folder))
    facts.update(_pages(machine, folder))
    facts["performance_level"] = file_text(machine, f"{folder}/power_dpm_force_performance_level")
    facts["health"] = "critical" if facts["ecc_uncorrected"] else "unknown"
    return facts


def board_folder(device: AmdDevice) -> str:
    """Return the folder of a GPU's board: a partition is a function known only to KFD, the board is function 0."""
    address = device.pci_address or ""
    return f"{BUS}/{address if device.partition_id is None else address.rpartition('.')[0] + '.0'}"


def kfd_nodes(machine: "Machine") -> tuple[AmdDevice, ...]:
    """Return KFD's GPU nodes in order, without those that a container's device rules make unreadable."""
    found: list[AmdDevice] = []
    for name in sorted((n for n in machine.list(NODES) if n.isdecimal()), key=int):
        folder = f"{NODES}/{name}"
        banks = [
            properties(file_text(machine, f"{folder}/mem_banks/{bank}/properties") or "")
            for bank in machine.list(f"{folder}/mem_banks")
        ]
        facts = properties(file_text(machine, f"{folder}/properties") or "")
        device = node_device(len(found), int(name), facts, banks, count(file_text(machine, f"{folder}/gpu_id")))
        if device is not None:
            found.append(device)
    return tuple(found)


def _board(machine: "Machine", address: str) -> AmdDevice:
    folder = f"{BUS}/{address}"
    driver = machine.link(f"{folder}/driver")
    unique = file_text(machine, f"{folder}/unique_id") or ""
    unique_id = int(unique, 16) or None if re.fullmatch(r"[0-9a-fA-F]{1,16}", unique) else None
    numa = number(file_text(machine, f"{folder}/numa_node"))
    board = gpu(
        0,
        product_name(file_text(machine, f"{folder}/product_name")),
        pci_address=address,
        pci_id="1002:" + (file_text(machine, f"{folder}/device") or "").removeprefix("0x").lower(),
        numa_node=int(numa) if numa is not None and numa >= 0 else None,
        driver_name=driver.rpartition("/")[2] if driver else "",
        unique_id=unique_id,
        uuid=uuid_of(unique_id),
        serial=file_text(machine, f"{folder}/serial_number"),
        vbios_version=file_text(machine, f"{folder}/vbios_version"),
        memory_total_bytes=count(file_text(machine, f"{folder}/mem_info_vram_total")),
        gtt_total_bytes=count(file_text(machine, f"{folder}/mem_info_gtt_total")),
        compute_partition=file_text(machine, f"{folder}/current_compute_partition"),
        memory_partition=file_text(machine, f"{folder}/current_memory_partition"),
        pcie_width_current=count(file_text(machine, f"{folder}/current_link_width")),
        pcie_width_maximum=count(file_text(machine, f"{folder}/max_link_width")),
    )
    return replace(board, **readings(machine, board))


def _sensors(machine: "Machine", folder: str) -> Mapping[str, Any]:
    facts: dict[str, Any] = {}
    for name in machine.list(folder):
        if re.fullmatch(r"temp\d_input", name):
            sensor = _SENSORS.get(
                file_text(machine, f"{folder}/{name[:5]}_label") or "edge"
            )  # old kernels have a single unlabelled one
            if sensor is not None:
                facts[sensor] = celsius(_scaled(machine, f"{folder}/{name}", 1000))
                if sensor.startswith("junction"):
                    facts["slowdown_celsius"] = celsius(_scaled(machine, f"{folder}/{name[:5]}_crit", 1000))
        elif re.fullmatch(r"freq\d_input", name):
            clock = {"sclk": "clock_sclk_mhz", "mclk": "clock_mclk_mhz"}.get(
                file_text(machine, f"{folder}/{name[:5]}_label") or ""
            )
            hertz = _scaled(machine, f"{folder}/{name}", 1000000)
            if clock is not None and hertz is not None:
                facts[clock] = round(hertz)
    average = _scaled(machine, f"{folder}/power1_average", 1000000)
    facts["power_watts"] = _scaled(machine, f"{folder}/power1_input", 1000000) if average is None else average
    facts["power_limit_watts"] = _scaled(machine, f"{folder}/power1_cap", 1000000)
    facts["power_maximum_watts"] = _scaled(machine, f"{folder}/power1_cap_max", 1000000)
    facts["power_default_watts"] = _scaled(machine, f"{folder}/power1_cap_default", 1000000)
    facts["fan_rpm"] = count(file_text(machine, f"{folder}/fan1_input"))
    level, most = number(file_text(machine, f"{folder}/pwm1")), number(file_text(machine, f"{folder}/pwm1_max"))
    facts["fan_percent"] = None if level is None or not most else percent(round(level / most * 100, 1))
    return facts


def _errors(machine: "Machine", folder: str) -> Mapping[str, Any]:
    """Return the sums of RAS counts, and the blocks with uncorrected errors; None if no block can be read."""
    sums: dict[str, int | None] = {"ecc_uncorrected": None, "ecc_corrected": None, "ecc_deferred": None}
    blocks: list[str] = []
    kinds = {"ue": "ecc_uncorrected", "ce": "ecc_corrected", "de": "ecc_deferred"}
    for name in machine.list(f"{folder}/ras"):
        if name.endswith("_err_count"):
            for kind, value in re.findall(
                r"\b(ue|ce|de): (\d{1,18})\b", file_text(machine, f"{folder}/ras/{name}") or ""
            ):
                sums[kinds[kind]] = (sums[kinds[kind]] or 0) + int(value)
                if kind == "ue" and int(value):
                    blocks.append(f"{name.removesuffix('_err_count')} {int(value)}")
    return {**sums, "ecc_uncorrected_in": None if sums["ecc_uncorrected"] is None else tuple(blocks)}


def _pages(machine: "Machine", folder: str) -> Mapping[str, int | None]:
    """Return how many memory pages RAS retired, is about to retire, or could not; None if it keeps no list."""
    text = file_text(machine, f"{folder}/ras/gpu_vram_bad_pages", _PAGES_BYTES)
    flags = [found[1] for line in (text or "").splitlines() if (found := _PAGE.fullmatch(line.strip()))]
    kinds = {"pages_retired": "R", "pages_pending": "P", "pages_failed": "F"}
    return {name: None if text is None else flags.count(flag) for name, flag in kinds.items()}


def _scaled(machine: "Machine", path: str, scale: int) -> float | None:
    value = number(file_text(machine, path))
    return None if value is None else value / scale


_PAGE: Final = pattern(r"0x[0-9a-f]{1,16} : 0x[0-9a-f]{1,16} : ([RPF])")
_PAGES_BYTES: Final = 1 << 18
_CHANGING: Final = (
    "memory_used_bytes",
    "memory_free_bytes",
    "gtt_used_bytes",
    "utilization_percent",
    "memory_utilization_percent",
    "temperature_celsius",
    "power_watts",
    "power_limit_watts",
    "power_maximum_watts",
    "slowdown_celsius",
    "fan_percent",
    "fan_rpm",
    "clock_sclk_mhz",
    "clock_mclk_mhz",
    "ecc_corrected",
    "ecc_uncorrected",
    "ecc_deferred",
    "ecc_uncorrected_in",
    "pages_retired",
    "pages_pending",
    "pages_failed",
    "performance_level",
    "power_default_watts",
)
