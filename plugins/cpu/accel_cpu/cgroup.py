"""The limits of control groups, versions 1 and 2: the tightest of the group's own and its ancestors'.

    /proc/self/cgroup          "0::/user.slice/job"  (v2)        "4:memory:/docker/8d2b"  (v1)
    v2  /sys/fs/cgroup/<group>/{cpu.max, cpuset.cpus.effective, memory.max, memory.current, memory.stat}
    v1  /sys/fs/cgroup/{cpu,cpuset,memory}/<group>/{cpu.cfs_quota_us, cpuset.cpus, memory.limit_in_bytes, …}

In a container the group's path may be the host's, which is not mounted: the walk upwards ends at the mounted part.
"""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from accel.machine.files import file_text

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_ROOT: Final = "/sys/fs/cgroup"
_UNLIMITED_BYTES: Final = 1 << 60  # v1 writes the largest number that fits for "no limit"


class Limits(NamedTuple):
    """None if no limit is set, or none can be read. used_bytes excludes page cache that can be reclaimed."""

    cpus: float | None = None
    memory_bytes: int | None = None
    memory_used_bytes: int | None = None


def limits(machine: "Machine") -> Limits:
    """Return the limits of this process."""
    groups = _groups(machine)
    unified = "" in groups and (machine.exists(f"{_ROOT}/cgroup.controllers") or len(groups) == 1)
    folders = {
        name: list(_upwards(_ROOT if unified else f"{_ROOT}/{name}", groups.get("" if unified else name, "/")))
        for name in ("cpu", "cpuset", "memory")
    }
    quota = _quota_v2 if unified else _quota_v1
    limit_name, used_name, cache_name = (
        ("memory.max", "memory.current", "inactive_file")
        if unified
        else ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    )
    cpus = [*_each(machine, folders["cpu"], quota), *_each(machine, folders["cpuset"], _cpuset)]
    found = [(limit, folder) for folder in folders["memory"] if (limit := _bytes(machine, f"{folder}/{limit_name}"))]
    limit, folder = min(found, default=(None, ""))
    used = _bytes(machine, f"{folder}/{used_name}") if folder else None
    cache = re.search(rf"^{cache_name} (\d+)", file_text(machine, f"{folder}/memory.stat") or "", re.MULTILINE)
    if used is not None and cache:
        used = max(used - int(cache[1]), 0)
    return Limits(cpus=min(cpus, default=None), memory_bytes=limit, memory_used_bytes=used)


def cpu_count(ranges: str) -> int | None:
    """Return how many CPUs a kernel list ("0-3,8") contains; None if it is not such a list.

    >>> cpu_count("0-3,8"), cpu_count("")
    (5, None)
    """
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", ranges.strip()):
        return None
    pairs = [part.split("-") for part in ranges.strip().split(",")]
    return sum(max(int(pair[-1]) - int(pair[0]) + 1, 0) for pair in pairs)


def _groups(machine: "Machine") -> dict[str, str]:
    """Return each controller's group; version 2's under ""."""
    groups: dict[str, str] = {}
    for line in (file_text(machine, "/proc/self/cgroup") or "").splitlines():
        parts = line.split(":", 2)
        if len(parts) == 3:
            for name in parts[1].split(","):
                groups[name] = parts[2]
    return groups


def _upwards(root: str, group: str) -> Iterator[str]:
    path = group.rstrip("/")
    while path and ".." not in path:
        yield f"{root}{path}"
        path = path.rpartition("/")[0]
    yield root


def _each(machine: "Machine", folders: list[str], read: "Callable[[Machine, str], float | None]") -> Iterator[float]:
    for folder in folders:
        value = read(machine, folder)
        if value is not None:
            yield value


def _quota_v2(machine: "Machine", folder: str) -> float | None:
    found = re.fullmatch(r"(\d+) (\d+)", file_text(machine, f"{folder}/cpu.max") or "")
    return int(found[1]) / int(found[2]) if found and int(found[2]) else None


def _quota_v1(machine: "Machine", folder: str) -> float | None:
    quota, period = (file_text(machine, f"{folder}/cpu.cfs_{name}_us") or "" for name in ("quota", "period"))
    if quota.isdecimal() and period.isdecimal() and int(period):  # the quota is -1 where there is none
        return int(quota) / int(period)
    return None


def _cpuset(machine: "Machine", folder: str) -> float | None:
    for name in ("cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"):
        count = cpu_count(file_text(machine, f"{folder}/{name}") or "")
        if count:
            return float(count)
    return None


def _bytes(machine: "Machine", path: str) -> int | None:
    text = file_text(machine, path) or ""
    return int(text) if text.isdecimal() and int(text) < _UNLIMITED_BYTES else None
