"""What this process may use, and what of the machine is used up: limits that programs run into without saying so.

Reads    /proc/self/limits        "Max open files            1024                 1048576              files"
         /sys/fs/cgroup/{memory,pids}.max, pids.current (cgroup v2, as a container sees its own); /proc/sys/fs/file-nr
         the file system at /dev/shm
Source   Linux: proc_pid_limits(5), Documentation/admin-guide/cgroup-v2.rst, Documentation/admin-guide/sysctl/fs.rst
A limit by itself is no fault; that it is reached is said under the same names as of a pasted report.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text
from accel.model.observation import Limit, Noted

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.observation import Observation

_OWN: Final = "/proc/self/limits"
_ROWS: Final = {
    "Max open files": "open_files",
    "Max processes": "processes",
    "Max locked memory": "memlock_bytes",
    "Max stack size": "stack_bytes",
    "Max address space": "address_space_bytes",
}
_GROUPS: Final = {"/sys/fs/cgroup/memory.max": "memory_bytes", "/sys/fs/cgroup/pids.max": "pids"}
_NEARLY: Final = 0.99


def limits(machine: "Machine") -> "tuple[Observation, ...]":
    """Return the limits of this process and its cgroup, and those that are reached."""
    return (*_of_process(machine), *_of_cgroup(machine), *_used_up(machine)) if machine.system == "linux" else ()


def _of_process(machine: "Machine") -> Iterator[Limit]:
    for name, soft in re.findall(
        r"^(Max(?: [a-z]{1,20}){1,4}) {2,40}(\d+|unlimited) ", file_text(machine, _OWN) or "", re.MULTILINE
    ):
        if name in _ROWS:
            yield _limit(_ROWS[name], soft, f"{name}: {soft}", _OWN)


def _of_cgroup(machine: "Machine") -> Iterator[Limit]:
    for path, resource in _GROUPS.items():
        value = (file_text(machine, path) or "").strip()
        if value.isdecimal():
            yield _limit(resource, value, f"{path}: {value}", path)


def _limit(resource: str, value: str, text: str, source: str) -> Limit:
    number = int(value) if value.isdecimal() else None
    return Limit(resource=resource, value=number, text=text, source=source, grade="measured")


def _used_up(machine: "Machine") -> Iterator[Noted]:
    shm = machine.filesystem_bytes("/dev/shm")
    if shm is not None and shm[0] > 0 and shm[1] < shm[0] * (1 - _NEARLY):
        yield _noted("shm-exhausted", f"{shm[1]:,} of the {shm[0]:,} bytes of /dev/shm are free", "/dev/shm")
    files = (file_text(machine, "/proc/sys/fs/file-nr") or "").split()
    if len(files) == 3 and all(word.isdecimal() for word in files) and int(files[0]) >= int(files[2]) * _NEARLY:
        text = f"{files[0]} of at most {files[2]} files are open on this system"
        yield _noted("files-exhausted-everywhere", text, "/proc/sys/fs/file-nr")
    most, now = (file_text(machine, f"/sys/fs/cgroup/pids.{name}") or "" for name in ("max", "current"))
    if most.strip().isdecimal() and now.strip().isdecimal() and int(now) >= int(most):
        yield _noted(
            "pids-controller-refused",
            f"{now.strip()} of at most {most.strip()} tasks run in this cgroup",
            "pids.current",
        )


def _noted(fact: str, text: str, source: str) -> Noted:
    return Noted(fact=fact, text=text, source=source, grade="measured")
