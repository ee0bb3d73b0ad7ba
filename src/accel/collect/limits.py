"""The limits of a process, and which of them are used up: programs run into limits without reporting them.

Reads    /proc/<pid>/limits        "Max open files            1024                 1048576              files"
         memory.max, pids.max, cpu.max of its control groups (version 1: memory.limit_in_bytes, cpu.cfs_quota_us); the
         lowest of those on the way to the root applies
         /proc/sys/fs/file-nr, the names in /proc/<pid>/fd, the file system at /dev/shm
Source   Linux: proc_pid_limits(5), Documentation/admin-guide/cgroup-v2.rst, Documentation/admin-guide/sysctl/fs.rst
A limit by itself is not a fault; a limit that is reached gets the same names as in a pasted report.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.collect.cgroups import Groups
from accel.machine.files import file_text
from accel.model.observation import Limit
from accel.vendors.toolkit.notes import noted

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.observation import Noted, Observation

_ROWS: Final = {
    "Max open files": "open_files",
    "Max processes": "processes",
    "Max locked memory": "memlock_bytes",
    "Max stack size": "stack_bytes",
    "Max address space": "address_space_bytes",
}
# resource -> controller, and the file of each version
_GROUPS: Final = {"memory_bytes": ("memory", ("memory.max", "memory.limit_in_bytes")), "pids": ("pids", ("pids.max",))}
_UNLIMITED: Final = 2**62  # version 1 writes the greatest number, rounded to pages
_NEARLY: Final = 0.99


def limits(machine: "Machine", pid: int | None = None) -> "tuple[Observation, ...]":
    """Return the limits of a process and its groups, and those that are reached. pid None: this process."""
    if machine.system != "linux":
        return ()
    groups = Groups(machine, pid)
    own = tuple(_of_process(machine, pid))
    return (
        *own,
        *_of_groups(machine, groups),
        *_used_up(machine, groups),
        *(_files_used_up(machine, pid, own) if pid is not None else ()),
    )


def _of_process(machine: "Machine", pid: int | None) -> Iterator[Limit]:
    source = f"/proc/{pid or 'self'}/limits"
    for name, soft in re.findall(
        r"^(Max(?: [a-z]{1,20}){1,4}) {2,40}(\d+|unlimited) ", file_text(machine, source) or "", re.MULTILINE
    ):
        if name in _ROWS:
            yield _limit(_ROWS[name], int(soft) if soft.isdecimal() else None, f"{name}: {soft}", source)


def _of_groups(machine: "Machine", groups: Groups) -> Iterator[Limit]:
    for resource, (controller, names) in _GROUPS.items():
        least = _least(machine, [f"{f}/{name}" for f in groups.folders(controller) for name in names])
        if least is not None:
            yield _limit(resource, least[0], f"{least[1]}: {least[0]}", least[1])
    shares = [share for folder in groups.folders("cpu") if (share := millicpus(machine, folder)) is not None]
    if shares:
        allowed, path = min(shares)
        yield _limit("millicpus", allowed, f"{path}: the time of {allowed / 1000:g} CPUs", path)


def _least(machine: "Machine", paths: list[str]) -> tuple[int, str] | None:
    """Return the lowest number in these files, and its file; None if all of them are unlimited."""
    known = ((text, path) for path in paths if (text := file_text(machine, path)) is not None)
    numbers = [(int(text), path) for text, path in known if text.isdecimal() and int(text) < _UNLIMITED]
    return min(numbers, default=None)


def millicpus(machine: "Machine", folder: str) -> tuple[int, str] | None:
    """Return the CPU time limit, 1000 per CPU; None if there is none.

    cpu.max "400000 100000" is 4 CPUs, "max 100000" is unlimited; version 1 has the two numbers in two files.
    """
    path = f"{folder}/cpu.max"
    words = (file_text(machine, path) or "").split()
    if not words:
        path = f"{folder}/cpu.cfs_quota_us"
        words = [file_text(machine, path) or "", file_text(machine, f"{folder}/cpu.cfs_period_us") or ""]
    if len(words) != 2 or not all(word.isdecimal() for word in words) or int(words[1]) == 0:
        return None
    return int(words[0]) * 1000 // int(words[1]), path


def _limit(resource: str, value: int | None, text: str, source: str) -> Limit:
    return Limit(resource=resource, value=value, text=text, source=source, grade="measured")


def _used_up(machine: "Machine", groups: Groups) -> "Iterator[Noted]":
    shm = machine.filesystem_bytes("/dev/shm")
    if shm is not None and shm[0] > 0 and shm[1] < shm[0] * (1 - _NEARLY):
        yield noted("shm-exhausted", f"{shm[1]:,} of the {shm[0]:,} bytes of /dev/shm are free", "/dev/shm")
    files = (file_text(machine, "/proc/sys/fs/file-nr") or "").split()
    if len(files) == 3 and all(word.isdecimal() for word in files) and int(files[0]) >= int(files[2]) * _NEARLY:
        text = f"{files[0]} of at most {files[2]} files are open on this system"
        yield noted("files-exhausted-everywhere", text, "/proc/sys/fs/file-nr")
    for folder in groups.folders("pids"):
        most, now = (file_text(machine, f"{folder}/pids.{name}") or "" for name in ("max", "current"))
        if most.isdecimal() and now.isdecimal() and int(now) >= int(most):
            text = f"{now} of at most {most} tasks run in this cgroup"
            yield noted("pids-controller-refused", text, f"{folder}/pids.current")
            return


def _files_used_up(machine: "Machine", pid: int, own: tuple[Limit, ...]) -> "Iterator[Noted]":
    most = next((limit.value for limit in own if limit.resource == "open_files"), None)
    try:
        now = len(machine.list(f"/proc/{pid}/fd"))
    except OSError:  # another user's
        return
    if most is not None and now >= most * _NEARLY:
        text = f"{now} of at most {most} files are open in process {pid}: it will soon fail with Too many open files"
        yield noted("files-exhausted", text, f"/proc/{pid}/fd")
