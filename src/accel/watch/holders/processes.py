"""Facts about a process, from /proc and the files of container engines.

/proc/<pid>/stat      "71 (python3) S 1 71 71 0 -1 4194560 … 41 0 9182736 …": state, parent, threads, start
/proc/<pid>/status    "Uid:	1000	…", "VmRSS:	  5120 kB"
/proc/<pid>/cmdline   the words, each terminated by NUL; empty for kernel threads and zombies
/proc/<pid>/cgroup, mountinfo, environ   see accel.watch.holders.attribution; only its user and root may read environ
/proc/stat            "btime 1795000000": when the machine started, in seconds since 1970
Source  Linux: proc_pid_stat(5), proc_pid_status(5)
"""

import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.machine.files import file_text
from accel.machine.patience import read_within
from accel.machine.process_stat import TICKS_A_SECOND, ProcessStat, process_stat
from accel.model.holding import RunningProcess, State
from accel.vendors.toolkit.process_names import ProcessNames
from accel.watch.holders.attribution import by_cgroup, by_mounts, by_title, by_variables
from accel.watch.holders.names import names_of
from accel.watch.holders.waiting import waits_in

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_STATES: Final[Mapping[str, State]] = {
    "R": "running",
    "S": "sleeping",
    "D": "blocked",
    "T": "stopped",
    "t": "stopped",
    "Z": "zombie",
    "I": "idle",
    "X": "ended",
}
_SHORT_NAME: Final = 15  # signs of a program's name that the kernel keeps
_PATIENCE_SECONDS: Final = 0.5
_MOST_WORDS: Final = 400
_LONGEST: Final = 1 << 17


class ProcessBook:
    """Looks up processes, and caches what does not change while they run.

    roles    names of vendors' services, by program name: {"nvidia-cuda-mps-server": "MPS server"}
    nameless pids of processes whose container could not be named; closed: pids whose variables could not be read, since
             the files belong to root or another user; silent: pids that did not answer, since they wait in the kernel
    """

    def __init__(self, machine: "Machine", roles: Mapping[str, str] | None = None) -> None:
        self._machine = machine
        self._roles = {program[:_SHORT_NAME]: (program, role) for program, role in (roles or {}).items()}
        self._names = ProcessNames(machine)
        self._known: dict[int, RunningProcess] = {}
        self._started: int | None = None
        self.nameless: set[int] = set()
        self.closed: set[int] = set()
        self.silent: set[int] = set()

    def of(self, pid: int) -> RunningProcess | None:
        """Return the current state of the process; None if there is none with this pid."""
        stat = process_stat(self._machine, pid)
        if stat is None:
            self._known.pop(pid, None)
            return None
        before = self._known.get(pid)
        if before is None or before.start_ticks != stat.start_ticks:
            before = self._known[pid] = self._described(pid, stat)
        state = _STATES.get(stat.state)
        changing: dict[str, Any] = {"state": state, "parent_pid": stat.parent_pid, "threads": stat.threads}
        if state in ("blocked", "zombie"):
            changing["waits_in"], changing["waits_in_module"] = waits_in(self._machine, pid)
        from accel.model.dataclass import replace

        return replace(before, **changing)

    def keep(self, pids: set[int]) -> None:
        """Forget all other processes."""
        self._known = {pid: known for pid, known in self._known.items() if pid in pids}

    def _described(self, pid: int, stat: ProcessStat) -> RunningProcess:
        command = self._command(pid, stat)
        status = file_text(self._machine, f"/proc/{pid}/status", 1 << 14) or ""
        user = re.search(r"^Uid:\s{1,8}(\d{1,10})", status, re.MULTILINE)
        resident = re.search(r"^VmRSS:\s{1,12}(\d{1,15}) kB", status, re.MULTILINE)
        program, role = self._roles.get(stat.name, (None, None))
        return RunningProcess(
            pid=pid,
            name=program or _whole_name(stat.name, command),
            user=self._names.user(user[1]) if user else None,
            command=command,
            started_at=self._started_at(stat.start_ticks),
            start_ticks=stat.start_ticks,
            memory_bytes=int(resident[1]) * 1024 if resident else None,
            role=role,
            **self._belongs(pid, command),
        )

    def _command(self, pid: int, stat: ProcessStat) -> tuple[str, ...] | None:
        if stat.is_kernel_thread:
            return ()
        if stat.state == "Z":  # its words are gone with its memory
            return None
        try:
            text = read_within(lambda: self._machine.read(f"/proc/{pid}/cmdline", _LONGEST), _PATIENCE_SECONDS)
        except TimeoutError:
            self.silent.add(pid)
            return None
        except OSError:
            return None
        words = text.rstrip("\0 ").split("\0")[:_MOST_WORDS] if text.strip("\0 ") else []
        return tuple(words) or None

    def _belongs(self, pid: int, command: tuple[str, ...] | None) -> dict[str, Any]:
        """Return the fields that say whom a process belongs to; what it says about itself has the lowest priority."""
        found = by_cgroup(file_text(self._machine, f"/proc/{pid}/cgroup") or "")
        if not {"container", "container_name"} & found.keys():
            found = {**by_mounts(file_text(self._machine, f"/proc/{pid}/mountinfo", 1 << 18) or ""), **found}
        named, closed = names_of(self._machine, found) if found.keys() & {"container", "pod_uid"} else ({}, False)
        if closed:
            self.nameless.add(pid)
        return {**by_variables(self._variables(pid)), **by_title(command or ()), **named, **found}

    def _variables(self, pid: int) -> dict[str, str]:
        if pid in self.silent:
            return {}
        try:
            return variables_of(self._machine, pid)
        except TimeoutError:
            self.silent.add(pid)
        except PermissionError:
            self.closed.add(pid)
        except OSError:
            pass
        return {}

    def _started_at(self, ticks: int) -> str | None:
        if self._started is None:
            found = re.search(r"^btime (\d{1,12})$", _boot(self._machine), re.MULTILINE)
            self._started = int(found[1]) if found else -1
        if self._started < 0:
            return None
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._started + ticks // TICKS_A_SECOND))


def variables_of(machine: "Machine", pid: int) -> dict[str, str]:
    """Return the variables that a process was started with.

    Raises OSError: PermissionError for another user's process, TimeoutError if it does not answer.
    """
    text = read_within(lambda: machine.read(f"/proc/{pid}/environ", _LONGEST), _PATIENCE_SECONDS)
    return dict(pair.split("=", 1) for pair in text.split("\0") if "=" in pair)


def _whole_name(name: str, command: tuple[str, ...] | None) -> str | None:
    """Return a program's full name: the kernel truncates it, and the first word of the command may have all of it."""
    if len(name) >= _SHORT_NAME and command:
        last = command[0].partition(" ")[0].rpartition("/")[2]
        return last if last.startswith(name) else name
    return name or None


def _boot(machine: "Machine") -> str:
    """Return the end of /proc/stat, which starts with one line per processor."""
    return file_text(machine, "/proc/stat", 1 << 18) or ""
