"""The pressure on memory, processors and disks, of the machine and of a process's control groups.

Reads    /proc/pressure/{cpu,memory,io}   "some avg10=1.52 avg60=0.91 avg300=0.10 total=172656160": the percentage of
         time in which some task waited for it; "full": in which all did. memory.pressure of a group likewise
         cpu.stat of a group     "nr_periods 1200", "nr_throttled 1100": how often its CPU quota was used up
         memory.events of it     "oom_kill 3": processes that were killed in it (version 1: memory.oom_control)
         /proc/meminfo           memory, swap, huge pages
         /sys/kernel/mm/transparent_hugepage/enabled   "always [madvise] never"
         /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor, scaling_driver
Source   Linux: Documentation/accounting/psi.rst, admin-guide/cgroup-v2.rst, admin-guide/mm/transhuge.rst,
         filesystems/proc.rst
These are facts; checks decide which of them are faults.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.collect.cgroups import Groups
from accel.machine.files import file_text
from accel.machine.protocol import Machine
from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.toolkit.notes import noted

_PRESSURE: Final = pattern(r"^(some|full) avg10=([\d.]{1,8}) avg60=([\d.]{1,8})", re.MULTILINE, exact_case=True)
_SIZE: Final = pattern(r"^(\w{1,30}):\s{1,20}(\d{1,15})(?: kB)?$", re.MULTILINE, exact_case=True)
_NUMBER: Final = pattern(r"^(\w{1,30}) (\d{1,20})$", re.MULTILINE, exact_case=True)
_THP: Final = "/sys/kernel/mm/transparent_hugepage/enabled"
_GOVERNOR: Final = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
_DRIVER: Final = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"


def pressure(machine: Machine, pid: int | None = None) -> tuple[Noted, ...]:
    """Return the facts of this machine and of a process's groups. pid None: this process."""
    if machine.system != "linux":
        return ()
    groups = Groups(machine, pid)
    return (*_waiting(machine, groups), *_of_groups(machine, groups), *_memory(machine), *_settings(machine))


def _waiting(machine: Machine, groups: Groups) -> Iterator[Noted]:
    for resource in ("cpu", "memory", "io"):
        path = f"/proc/pressure/{resource}"
        yield from _share(resource, "machine", path, file_text(machine, path))
        own = groups.first("", f"{resource}.pressure")
        if own is not None and groups.folders("")[0] != groups.folders("")[-1]:  # the root's are the machine's
            yield from _share(resource, "control group", *own)


def _share(resource: str, whose: str, path: str, text: str | None) -> Iterator[Noted]:
    shares = {
        f"{kind}_{name}": value
        for kind, ten, sixty in _PRESSURE.findall(text or "")
        for name, value in (("avg10", ten), ("avg60", sixty))
    }
    if shares:
        told = ", ".join(f"{kind} {sixty} %" for kind, _, sixty in _PRESSURE.findall(text or ""))
        yield noted(
            "pressure",
            f"{path}: tasks waited in the last minute: {told}",
            path,
            resource=resource,
            whose=whose,
            **shares,
        )


def _of_groups(machine: Machine, groups: Groups) -> Iterator[Noted]:
    for folder in groups.folders("cpu"):
        numbers = dict(_NUMBER.findall(file_text(machine, f"{folder}/cpu.stat") or ""))
        periods, throttled = numbers.get("nr_periods", "0"), numbers.get("nr_throttled", "0")
        if periods != "0":
            text = f"nr_periods {periods} nr_throttled {throttled}"
            yield noted("cpu-throttled", text, f"{folder}/cpu.stat", periods=periods, throttled=throttled)
            break
    for folder in groups.folders("memory"):
        for name in ("memory.events", "memory.oom_control"):
            numbers = dict(_NUMBER.findall(file_text(machine, f"{folder}/{name}") or ""))
            if int(numbers.get("oom_kill", "0")):
                text = f"{folder}/{name}: oom_kill {numbers['oom_kill']}"
                yield noted("group-killed-for-memory", text, f"{folder}/{name}", count=numbers["oom_kill"])
                return


def _memory(machine: Machine) -> Iterator[Noted]:
    sizes = {name: int(value) for name, value in _SIZE.findall(file_text(machine, "/proc/meminfo") or "")}
    source = "/proc/meminfo"
    if {"MemTotal", "MemAvailable"} <= sizes.keys():
        total, free = sizes["MemTotal"] * 1024, sizes["MemAvailable"] * 1024
        yield noted(
            "memory-use",
            f"{free:,} of {total:,} bytes of memory are available",
            source,
            total=str(total),
            available=str(free),
        )
    if {"SwapTotal", "SwapFree"} <= sizes.keys():
        total, used = sizes["SwapTotal"] * 1024, (sizes["SwapTotal"] - sizes["SwapFree"]) * 1024
        yield noted(
            "swap-use", f"{used:,} of {total:,} bytes of swap are in use", source, total=str(total), used=str(used)
        )
    if {"HugePages_Total", "HugePages_Free", "Hugepagesize"} <= sizes.keys():
        total, free, size = sizes["HugePages_Total"], sizes["HugePages_Free"], sizes["Hugepagesize"] * 1024
        yield noted(
            "huge-pages",
            f"{free} of {total} huge pages of {size:,} bytes are free",
            source,
            total=str(total),
            free=str(free),
            size=str(size),
        )


def _settings(machine: Machine) -> Iterator[Noted]:
    chosen = re.search(r"\[(\w{1,20})\]", file_text(machine, _THP) or "")
    if chosen:
        yield noted("transparent-huge-pages", f"{_THP}: {chosen[1]}", _THP, mode=chosen[1])
    governor = file_text(machine, _GOVERNOR)
    if governor:
        driver = file_text(machine, _DRIVER)
        yield noted("cpu-governor", f"{_GOVERNOR}: {governor}", _GOVERNOR, governor=governor, driver=driver)
