"""The state of a process or thread, from its stat file in /proc.

Reads   "71 (a) b) D 1 71 71 0 -1 4194560 …": the name is in brackets and may contain any character
Source  Linux: proc_pid_stat(5); include/linux/sched.h: PF_KTHREAD
"""

from typing import TYPE_CHECKING, Final, NamedTuple

from accel.machine.files import file_text

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

TICKS_A_SECOND: Final = 100  # Linux counts so towards programs on every machine that accelerators are in
_KERNEL_THREAD: Final = 0x00200000  # of the flags
_PLACES: Final = (1, 6, 9, 11, 12, 17, 19)  # of the numbers, from the state on


class ProcessStat(NamedTuple):
    """state: "R", "S", "D", "Z", …; cpu_ticks, start_ticks: TICKS_A_SECOND each, the latter since boot."""

    name: str
    state: str
    parent_pid: int
    is_kernel_thread: bool
    major_faults: int
    cpu_ticks: int
    threads: int
    start_ticks: int


def process_stat(machine: "Machine", process: int | str) -> ProcessStat | None:
    """Return the state of a process by its pid, or of a thread by its folder; None if there is none."""
    folder = process if isinstance(process, str) else f"/proc/{process}"
    return parse_stat(file_text(machine, f"{folder}/stat", 1 << 12) or "")


def parent_of(machine: "Machine", pid: int) -> int | None:
    """Return the pid of a process's parent; None if it has none, or if there is no such process."""
    stat = process_stat(machine, pid)
    return None if stat is None else stat.parent_pid or None


def parse_stat(text: str) -> ProcessStat | None:
    """Return the fields of a stat file; None if it is damaged.

    >>> found = parse_stat("71 (a) b) D 1 71 71 0 -1 4194560 9 0 3 0 5 4 0 0 20 0 41 0 9182736 0 12")
    >>> found.name, found.state, found.parent_pid, found.cpu_ticks, found.threads, found.start_ticks
    ('a) b', 'D', 1, 9, 41, 9182736)
    """
    head, _, behind = text.rpartition(") ")
    fields = behind.split()
    if len(fields) <= _PLACES[-1] or not all(fields[place].lstrip("-").isdecimal() for place in _PLACES):
        return None
    parent, flags, faults, user, kernel, threads, start = (int(fields[place]) for place in _PLACES)
    name, is_kernel_thread = head.partition("(")[2], bool(flags & _KERNEL_THREAD)
    return ProcessStat(name, fields[0], parent, is_kernel_thread, faults, user + kernel, threads, start)
