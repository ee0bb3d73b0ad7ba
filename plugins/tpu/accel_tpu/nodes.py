"""The device nodes of TPU chips, and the processes that have them open.

/dev/accel0 …      v2 to v4, counted in the order of the PCI addresses
/dev/vfio/0 …      later ones, numbered by the IOMMU group; /dev/vfio/vfio is not a chip, and other numbers may be
                   another vendor's devices passed to a virtual machine
/proc/<pid>/fd/*   links to the nodes: the owners, as far as this user may see
"""

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text, names_in
from accel.model.dataclass import dataclass
from accel.model.device import Process
from accel.vendors.toolkit.open_files import open_paths, process_ids

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

LOCK_FILE: Final = "/tmp/libtpu_lockfile"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owners:
    """The processes that have each path open. hidden: how many processes of other users could not be inspected."""

    by_path: Mapping[str, tuple[Process, ...]]
    hidden: int

    def of(self, paths: Collection[str]) -> tuple[Process, ...] | None:
        """Return the owners of any of these paths; None if none is seen but some processes could not be inspected."""
        found = {process.pid: process for path in paths for process in self.by_path.get(path, ())}
        return tuple(found.values()) if found or not self.hidden else None


def accel_nodes(machine: "Machine") -> tuple[str, ...]:
    """Return /dev/accel0 … in numeric order."""
    return _numbered(machine, "/dev", r"accel(\d+)")


def _numbered(machine: "Machine", folder: str, pattern: str) -> tuple[str, ...]:
    numbers = {int(found[1]): name for name in names_in(machine, folder) if (found := re.fullmatch(pattern, name))}
    return tuple(f"{folder}/{numbers[number]}" for number in sorted(numbers))


def owners(machine: "Machine", paths: Collection[str]) -> Owners:
    """Search the open files of every process, as far as permitted, for these paths."""
    wanted = set(paths)
    looked = open_paths(machine, sorted(process_ids(machine)), lambda target: target if target in wanted else None)
    found: dict[str, list[Process]] = {path: [] for path in paths}
    for pid, held in looked.by_pid.items():
        for path in held:
            found[path].append(Process(pid=pid, name=file_text(machine, f"/proc/{pid}/comm")))
    return Owners(by_path={path: tuple(held) for path, held in found.items()}, hidden=len(looked.closed))
