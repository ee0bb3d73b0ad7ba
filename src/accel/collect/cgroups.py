"""The control groups of a process: the folders of their files, from its own group up to the visible root.

/proc/<pid>/cgroup    "0::/user.slice/user-1000.slice/session-3.scope"      version 2: one group for all controllers
                      "4:memory:/docker/0123…"                              version 1: one group per controller
/proc/self/mountinfo  "30 24 0:27 / /sys/fs/cgroup rw … - cgroup2 cgroup2 rw": the group mounted, and where
                      "31 24 0:28 /docker/0123… /sys/fs/cgroup/memory ro … - cgroup cgroup rw,memory"
The limits of all groups on the way apply, so the lowest one counts.
Source  Linux: cgroups(7), Documentation/admin-guide/cgroup-v2.rst, cgroup-v1
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text
from accel.model.dataclass import dataclass

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_ROOT: Final = "/sys/fs/cgroup"
_MOST_FOLDERS: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mount:
    controllers: frozenset[str]  # () of version 2
    start: str
    folder: str


class Groups:
    """The groups of a process; pid None: of this one."""

    def __init__(self, machine: "Machine", pid: int | None = None) -> None:
        text = file_text(machine, f"/proc/{pid or 'self'}/cgroup") or ""
        self._paths = _paths(text)
        self._mounts = _mounts(file_text(machine, "/proc/self/mountinfo", 1 << 20) or "")
        self._machine = machine

    def folders(self, controller: str) -> tuple[str, ...]:
        """Return the folders that limit a controller ("memory", "cpu", "pids"), the process's own group first."""
        path = self._paths.get(controller)
        wanted = next((m for m in self._mounts if controller in m.controllers), None) if path is not None else None
        if wanted is None:
            path = self._paths.get("", "/")
            wanted = next((m for m in self._mounts if not m.controllers), None)
        if wanted is None:
            return (_ROOT,)
        below = path[len(wanted.start.rstrip("/")) :] if path and _is_below(path, wanted.start) else ""
        parts = [part for part in below.split("/") if part and part != ".."][:_MOST_FOLDERS]
        return tuple("/".join((wanted.folder, *parts[:count])) for count in range(len(parts), -1, -1))

    def first(self, controller: str, name: str) -> tuple[str, str] | None:
        """Return path and text of a file in the nearest group that has it."""
        for folder in self.folders(controller):
            text = file_text(self._machine, f"{folder}/{name}")
            if text is not None:
                return f"{folder}/{name}", text
        return None


def _is_below(path: str, start: str) -> bool:
    return start == "/" or path == start or path.startswith(f"{start}/")


def _paths(text: str) -> Mapping[str, str]:
    """Return the group's path by controller; "" for version 2."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        for controller in controllers.split(","):
            found.setdefault(controller.removeprefix("name="), path or "/")
    return found


def _mounts(text: str) -> tuple[_Mount, ...]:
    found = []
    for line in text.splitlines():
        before, dash, after = line.partition(" - ")
        fields, kinds = before.split(" "), after.split(" ")
        if not dash or len(fields) < 5 or kinds[0] not in ("cgroup", "cgroup2"):
            continue
        controllers = frozenset(kinds[2].split(",")) - {"rw", "ro"} if kinds[0] == "cgroup" and len(kinds) > 2 else ()
        found.append(_Mount(controllers=frozenset(controllers), start=fields[3], folder=fields[4]))
    return tuple(found)
