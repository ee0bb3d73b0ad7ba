"""What a program does on the CPU over time: a process with all its descendants.

/proc/<pid>/stat             state, parent, major page faults, ticks in user and kernel mode
/proc/<pid>/task/<n>/stat    the same for each thread
/proc/<pid>/status           "VmSwap:	 0 kB", "Cpus_allowed_list:	0-3,8"
/proc/<pid>/io               "read_bytes: 8192", "write_bytes: 0": storage; readable by its user and root only
/proc/<pid>/wchan            the kernel function in which its first thread sleeps; "0" if it runs
/proc/<pid>/fd, fdinfo, mountinfo, environ   its data files and their file systems; its variables
/proc/pressure, <group>/*.pressure           "some avg10=0.00 … total=172656160": microseconds
<group>/cpu.stat             "nr_periods 1200", "nr_throttled 1100"
/proc/vmstat                 "pswpin 12": pages
Source  Linux: proc_pid_stat(5), proc_pid_io(5), Documentation/accounting/psi.rst, admin-guide/cgroup-v2.rst
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from accel.collect.cgroups import Groups
from accel.collect.limits import millicpus
from accel.machine.files import file_text, names_in
from accel.machine.process_stat import TICKS_A_SECOND, process_stat
from accel.model.work import DataFile, ProcessWork, Program, Work

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_PAGE_BYTES: Final = 4096
_MOST_PROCESSES: Final = 256
_MOST_THREADS: Final = 512  # that are looked at, of all processes together
_MOST_FILES: Final = 400
_SHOWN_FILES: Final = 8
_SCAN_SECONDS: Final = 1.0  # between two looks for new processes
_NUMBER: Final = re.compile(r"^(\w{1,40}):?\s{1,12}(\d{1,20})(?: kB)?$", re.MULTILINE)
_TOTAL: Final = re.compile(r"^some .{0,80}total=(\d{1,20})$", re.MULTILINE)
_VARIABLES: Final = re.compile(
    r"(?:OMP|MKL|OPENBLAS|NUMEXPR|VECLIB|TORCH|PYTORCH|CUDA|NCCL|HCCL|RCCL|ASCEND|XLA|JAX|TF|MALLOC|KMP|TOKENIZERS)_\w{1,60}"
)
_NO_DATA: Final = ("/dev/", "/proc/", "/sys/", "/memfd:", "/usr/lib", "/lib", "/tmp/.")
_LIBRARY: Final = re.compile(r"\.(?:so(?:\.\d{1,5}){0,4}|py[co]?|log|sock)$")


class WorkOf:
    """Samples one program repeatedly; new child processes are found as they appear."""

    def __init__(self, machine: "Machine", pid: int) -> None:
        self.pid = pid
        self._machine = machine
        self._groups = Groups(machine, pid)
        self._family: tuple[int, ...] = (pid,)
        self._scanned: float | None = None

    def now(self, seconds: float) -> Work:
        """Return the current counters. seconds: of the tick that they belong to."""
        machine = self._machine
        if self._scanned is None or seconds - self._scanned >= _SCAN_SECONDS:
            self._family, self._scanned = _family(machine, self.pid), seconds
        room, processes = _MOST_THREADS, []
        for pid in self._family:
            found = _process(machine, pid, room)
            if found is not None:
                processes.append(found)
                room = max(0, room - len(found.thread_seconds))
        shares = self._shares()
        shm = machine.filesystem_bytes(f"/proc/{self.pid}/root/dev/shm") or machine.filesystem_bytes("/dev/shm")
        swapped = _numbers(file_text(machine, "/proc/vmstat")).get("pswpin")
        return Work(
            seconds=seconds,
            processes=tuple(processes),
            stalled_cpu_seconds=self._stalled("cpu"),
            stalled_io_seconds=self._stalled("io"),
            stalled_memory_seconds=self._stalled("memory"),
            periods=shares.get("nr_periods"),
            throttled_periods=shares.get("nr_throttled"),
            swapped_in_bytes=None if swapped is None else swapped * _PAGE_BYTES,
            shm_total_bytes=shm[0] if shm else None,
            shm_free_bytes=shm[1] if shm else None,
        )

    def _stalled(self, resource: str) -> float | None:
        own = self._groups.first("", f"{resource}.pressure")
        text = own[1] if own is not None else file_text(self._machine, f"/proc/pressure/{resource}")
        found = _TOTAL.search(text or "")
        return int(found[1]) / 1e6 if found else None

    def _shares(self) -> Mapping[str, int]:
        for folder in self._groups.folders("cpu"):
            numbers = _numbers(file_text(self._machine, f"{folder}/cpu.stat"))
            if numbers.get("nr_periods"):
                return numbers
        return {}


def program(machine: "Machine", pid: int) -> Program | None:
    """Return the facts about a program that do not change; None if there is no such process."""
    stat = process_stat(machine, pid)
    if stat is None:
        return None
    words = (file_text(machine, f"/proc/{pid}/cmdline", 1 << 16) or "").rstrip("\0").split("\0")
    shares = [found[0] / 1000 for one in Groups(machine, pid).folders("cpu") if (found := millicpus(machine, one))]
    share = min(shares, default=None)
    allowed = _allowed(machine, pid)
    known = [count for count in (allowed, share) if count is not None]
    return Program(
        pid=pid,
        name=stat.name,
        command=tuple(words) if words != [""] else None,
        cpus=min(known, default=None),
        share_cpus=share,
        variables=_variables(machine, pid),
        files=_files(machine, _family(machine, pid)),
    )


def _family(machine: "Machine", pid: int) -> tuple[int, ...]:
    """Return a process and all its descendants, itself first."""
    children: dict[int, list[int]] = {}
    for name in names_in(machine, "/proc"):
        if name.isdecimal():
            stat = process_stat(machine, int(name))
            if stat is not None:
                children.setdefault(stat.parent_pid, []).append(int(name))
    found, place = [pid], 0
    while place < len(found) and len(found) < _MOST_PROCESSES:
        found += [child for child in children.get(found[place], ()) if child not in found]
        place += 1
    return tuple(found[:_MOST_PROCESSES])


def _process(machine: "Machine", pid: int, room: int) -> ProcessWork | None:
    stat = process_stat(machine, pid)
    if stat is None:
        return None
    threads = []
    for name in names_in(machine, f"/proc/{pid}/task")[:room]:
        one = process_stat(machine, f"/proc/{pid}/task/{name}")
        if one is not None:
            threads.append((int(name), one.cpu_ticks / TICKS_A_SECOND, one.state))
    io = _numbers(file_text(machine, f"/proc/{pid}/io"))
    swapped = _numbers(file_text(machine, f"/proc/{pid}/status")).get("VmSwap")
    wchan = file_text(machine, f"/proc/{pid}/wchan")
    return ProcessWork(
        pid=pid,
        parent_pid=stat.parent_pid,
        name=stat.name,
        cpu_seconds=stat.cpu_ticks / TICKS_A_SECOND,
        thread_seconds=tuple((number, used) for number, used, _ in threads),
        threads=stat.threads,
        running=sum(state == "R" for _, _, state in threads) if threads else None,
        blocked=sum(state == "D" for _, _, state in threads) if threads else None,
        read_bytes=io.get("read_bytes"),
        written_bytes=io.get("write_bytes"),
        major_faults=stat.major_faults,
        swapped_bytes=None if swapped is None else swapped * 1024,
        waits_in=wchan if wchan not in (None, "0") else None,
    )


def _numbers(text: str | None) -> dict[str, int]:
    return {name: int(value) for name, value in _NUMBER.findall(text or "")}


def _allowed(machine: "Machine", pid: int) -> float | None:
    """Return the number of processors that a process may run on, from "0-3,8"."""
    found = re.search(
        r"^Cpus_allowed_list:\s{1,4}([\d,-]{1,4000})$", file_text(machine, f"/proc/{pid}/status") or "", re.M
    )
    if not found:
        return None
    count = 0
    for part in found[1].split(","):
        first, dash, last = part.partition("-")
        if first.isdecimal() and (last.isdecimal() or not dash):
            count += int(last) - int(first) + 1 if dash else 1
    return float(count) or None


def _variables(machine: "Machine", pid: int) -> tuple[tuple[str, str], ...] | None:
    try:
        text = machine.read(f"/proc/{pid}/environ", 1 << 18)
    except OSError:
        return None
    pairs = (pair.partition("=") for pair in text.split("\0"))
    return tuple((name, value[:200]) for name, equals, value in pairs if equals and _VARIABLES.fullmatch(name))


def _files(machine: "Machine", family: tuple[int, ...]) -> tuple[DataFile, ...] | None:
    """Return the largest open data files; None if none of the files may be inspected."""
    paths: dict[str, int] = {}
    seen = False
    for pid in family:
        try:
            numbers = machine.list(f"/proc/{pid}/fd")
        except OSError:  # another user's
            continue
        seen = True
        for number in numbers[: _MOST_FILES - len(paths)]:
            path = machine.link(f"/proc/{pid}/fd/{number}") or ""
            if path.startswith("/") and not path.startswith(_NO_DATA) and not _LIBRARY.search(path):
                paths.setdefault(path.removesuffix(" (deleted)"), pid)
    if not seen:
        return None
    mounts = _mounts(file_text(machine, f"/proc/{family[0]}/mountinfo", 1 << 20))
    files = [DataFile(path=p, system=_system(p, mounts), size_bytes=machine.size_bytes(p)) for p in paths]
    return tuple(sorted(files, key=lambda one: -(one.size_bytes or 0))[:_SHOWN_FILES])


def _mounts(text: str | None) -> list[tuple[str, str]]:
    """Return (folder, file system) of each mount, the longest folder first."""
    found = []
    for line in (text or "").splitlines():
        before, dash, after = line.partition(" - ")
        fields = before.split(" ")
        if dash and len(fields) > 4:
            found.append((fields[4], after.split(" ")[0]))
    return sorted(found, key=lambda mount: -len(mount[0]))


def _system(path: str, mounts: list[tuple[str, str]]) -> str | None:
    return next((kind for folder, kind in mounts if path.startswith(folder.rstrip("/") + "/")), None)
