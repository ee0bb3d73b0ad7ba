"""Finds which processes have which paths open, as far as this user may look, within a time limit.

Reads   /proc/<pid>/fd/<n>             links; only root may read those of other users' processes
        /proc/<pid>/task/<tid>/fd/<n>  if the process's first thread has ended: its other threads still hold the files
        /proc/<pid>/stat               of an unreadable process: kernel threads have no files
"/dev/nvidia0 (deleted)" was removed while in use; "/run/…/rootfs/dev/nvidia0" belongs to a container.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from accel.machine.files import names_in
from accel.machine.process_stat import process_stat
from accel.model.dataclass import dataclass

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_GONE: Final = " (deleted)"
_MOST_FILES: Final = 20_000  # of one process: a server with more of them holds a device among its first ones
_MOST_THREADS: Final = 64
_LOOKS: Final = 16  # processes between two looks at the clock


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPaths:
    """by_pid: the wanted paths that each process has open; closed: unreadable processes; unread: there was no time."""

    by_pid: Mapping[int, tuple[str, ...]]
    looked_into: int
    closed: frozenset[int]
    unread: frozenset[int]


def open_paths(
    machine: "Machine", pids: Collection[int], wanted: Callable[[str], str | None], seconds: float | None = None
) -> OpenPaths:
    """Go through the open files of these processes, in order.

    wanted   returns the name under which a target counts ("/dev/nvidia0" for "/x/dev/nvidia0"); None: it does not count
    seconds  time limit for all of them; processes not reached by then are `unread`
    """
    found: dict[int, tuple[str, ...]] = {}
    closed: set[int] = set()
    names: dict[str, str | None] = {}  # most targets are seen again and again
    ends = None if seconds is None else machine.seconds() + seconds
    order = list(pids)
    for place, pid in enumerate(order):
        if ends is not None and place % _LOOKS == 0 and machine.seconds() >= ends:
            return OpenPaths(
                by_pid=found, looked_into=place - len(closed), closed=frozenset(closed), unread=frozenset(order[place:])
            )
        held: dict[str, None] = {}
        try:
            for target in _targets(machine, pid):
                if target not in names:
                    names[target] = wanted(target.removesuffix(_GONE))
                name = names[target]
                if name is not None:
                    held[name] = None
        except PermissionError:
            stat = process_stat(machine, pid)
            if stat is None or not stat.is_kernel_thread:
                closed.add(pid)
            continue
        except OSError:  # it has ended meanwhile
            continue
        if held:
            found[pid] = tuple(held)
    return OpenPaths(by_pid=found, looked_into=len(order) - len(closed), closed=frozenset(closed), unread=frozenset())


def process_ids(machine: "Machine") -> tuple[int, ...]:
    """Return the ids of all processes, in descending order."""
    return tuple(sorted((int(name) for name in names_in(machine, "/proc") if name.isdecimal()), reverse=True))


def _targets(machine: "Machine", pid: int) -> Iterator[str]:
    folder = f"/proc/{pid}/fd"
    files = machine.list(folder)
    if not files:
        for thread in names_in(machine, f"/proc/{pid}/task")[:_MOST_THREADS]:
            if thread != str(pid):
                folder = f"/proc/{pid}/task/{thread}/fd"
                files = names_in(machine, folder)
                if files:
                    break
    for name in files[:_MOST_FILES]:
        target = machine.link(f"{folder}/{name}")
        if target is not None:
            yield target
