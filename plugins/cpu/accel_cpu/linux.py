"""The CPUs of a Linux machine, from /proc and /sys.

/proc/cpuinfo   only its start: with hundreds of threads, reading all of it costs more than everything else here
/sys/devices/system/cpu/online           "0-63"
/sys/devices/system/cpu/cpu0/topology    if cpuinfo does not describe a socket's layout (not x86)
/sys/devices/system/node                 node0 …
/proc/meminfo                            MemTotal, MemAvailable; "kB" means KiB
"""

import re
from typing import TYPE_CHECKING, Any, Final

from accel.machine.files import file_text, names_in
from accel_cpu.cgroup import Limits, cpu_count, limits
from accel_cpu.processor import Processor, processor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from accel.machine.protocol import Machine
    from accel.model.device import Gap
    from accel_cpu.model import CpuDevice

SOURCE: Final = "procfs"
_SYSTEM: Final = "/sys/devices/system"
_START_BYTES: Final = 1 << 13
USUAL: Final = {"GenuineIntel": "Intel", "AuthenticAMD": "AMD"}  # opening the tables takes as long as the rest here


def linux_cpu(machine: "Machine") -> "tuple[CpuDevice, tuple[Gap, ...]]":
    """Return the CPUs as one device, and what could not be determined about them."""
    from accel.model.device import Gap
    from accel_cpu.model import CpuDevice

    facts, missing = linux_facts(machine)
    gaps = (Gap(fact=f, reason=r, device="cpu:0", backend="cpu", source=SOURCE) for f, r in missing.items())
    return CpuDevice(**facts), tuple(gaps)


def _makers(told: str) -> "Mapping[str, Any]":
    """Return specs/cpu/makers.yaml; only the two common makers if cpuinfo names one of them."""
    if any(vendor_id in told for vendor_id in USUAL):
        return {"by_vendor_id": USUAL}
    from accel.specs import load

    return load().table("cpu/makers") or {}


def linux_facts(machine: "Machine") -> tuple[dict[str, Any], dict[str, str]]:
    """Return the fields of that device's record, and why some of them are missing."""
    told = file_text(machine, "/proc/cpuinfo", _START_BYTES) or ""
    first = processor(told, _makers(told))
    threads = cpu_count(file_text(machine, f"{_SYSTEM}/cpu/online") or "") or _threads_of_cpuinfo(machine)
    sockets, cores = _topology(machine, first, threads)
    group = limits(machine)
    total, used, free = memory(machine, group)
    facts: dict[str, Any] = {
        "id": "cpu:0",
        "index": 0,
        "backend": "cpu",
        "vendor": first.vendor or "unknown",
        "kind": "cpu",
        "name": first.name,
        "architecture": file_text(machine, "/proc/sys/kernel/arch") or first.architecture,
        "memory_total_bytes": total,
        "memory_used_bytes": used,
        "memory_free_bytes": free,
        "sockets": sockets,
        "cores_physical": cores,
        "threads": threads,
        "numa_nodes": sum(bool(re.fullmatch(r"node\d+", n)) for n in names_in(machine, f"{_SYSTEM}/node")) or None,
        "vector_units": first.vector_units,
        "cgroup_cpu_limit": group.cpus if group.cpus is not None and group.cpus < (threads or group.cpus + 1) else None,
        "memory_limit_bytes": group.memory_bytes,
        "visible": True,
        "runtime_names": ("cpu:0", "cpu"),
    }
    return facts, _missing(facts, first)


def memory(machine: "Machine", group: Limits) -> tuple[int | None, int | None, int | None]:
    """Return total, used and free bytes, using the control group's limit if that is tighter."""
    text = file_text(machine, "/proc/meminfo") or ""
    total, available = (_kib(text, name) for name in ("MemTotal", "MemAvailable"))
    if group.memory_bytes is None or (total is not None and group.memory_bytes >= total):
        return total, (total - available if total is not None and available is not None else None), available
    used = group.memory_used_bytes
    return group.memory_bytes, used, (max(group.memory_bytes - used, 0) if used is not None else None)


def busy_and_all(machine: "Machine") -> tuple[int, int] | None:
    """Return the ticks that the CPUs were busy, and all ticks, since boot: the first line of /proc/stat."""
    found = re.match(r"cpu +(\d+(?: \d+)+)", file_text(machine, "/proc/stat", 512) or "")
    if not found:
        return None
    ticks = [int(number) for number in found[1].split()[:8]]  # guest time is in user time already
    return sum(ticks) - sum(ticks[3:5]), sum(ticks)


def _topology(machine: "Machine", first: Processor, threads: int | None) -> tuple[int | None, int | None]:
    if first.cores and first.siblings and threads and threads % first.siblings == 0:
        sockets = threads // first.siblings
        return sockets, sockets * first.cores
    seen = set()
    packages = set()
    for name in names_in(machine, f"{_SYSTEM}/cpu"):
        if re.fullmatch(r"cpu\d+", name):
            folder = f"{_SYSTEM}/cpu/{name}/topology"
            package, core = (file_text(machine, f"{folder}/{file}") for file in ("physical_package_id", "core_id"))
            if package and core:
                packages.add(package)
                seen.add((package, core))
    return len(packages - {"-1"}) or None, len(seen) or None


def _threads_of_cpuinfo(machine: "Machine") -> int | None:
    text = file_text(machine, "/proc/cpuinfo", 8 << 20) or ""
    return len(re.findall(r"^processor\s*:\s*\d", text, re.MULTILINE)) or None


def _missing(facts: dict[str, Any], first: Processor) -> dict[str, str]:
    why = {
        "name": "/proc/cpuinfo does not name the processor",
        "vendor": "/proc/cpuinfo does not name the maker",
        "cores_physical": "neither /proc/cpuinfo nor sysfs shows how the processors share cores",
        "memory_total_bytes": "/proc/meminfo cannot be read",
        "vector_units": "/proc/cpuinfo lists no flags",
    }
    known = {**facts, "vendor": first.vendor}
    return {fact: reason for fact, reason in why.items() if known[fact] is None}


def _kib(text: str, name: str) -> int | None:
    found = re.search(rf"^{name}:\s*(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else None
