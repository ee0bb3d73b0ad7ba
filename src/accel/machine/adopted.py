"""Finds and ends processes that deliberately outlive their parent, in a session of their own that no group signal
reaches.

On Linux an orphan is reparented to the nearest ancestor that is a subreaper (PR_SET_CHILD_SUBREAPER). This process
becomes one just before third-party code runs in a child: whatever that leaves behind is then a child of this process
and can be ended. On other systems such processes are not seen.
Source  prctl(2); proc_pid_task_tid_children(5)
"""

import os
import sys
import time
from collections.abc import Iterable
from typing import Final, NamedTuple

from accel.machine.child import unreaped
from accel.machine.process_stat import parse_stat

VARIABLE: Final = "ACCEL_GUEST"  # in the child: by it a program is known that the child started
_SIGKILL: Final = 9  # signal.SIGKILL, without importing signal
_PR_SET_CHILD_SUBREAPER: Final = 36
_ENDED: Final = ("", "Z", "X")  # states of a process; "": there is none
_ROUNDS: Final = 3  # what is ended may have left another


class Adopted(NamedTuple):
    """A process left behind. name: as the kernel has it."""

    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} (process {self.pid})"


class Watched:
    """What a child's descendants leave behind. Create it before the fork; the child puts `mark` in its environment."""

    def __init__(self) -> None:
        self._sees = _take_in_orphans()
        self._before = children(os.getpid()) if self._sees else frozenset()
        self.mark = f"{os.getpid()}-{time.monotonic_ns()}"

    def of(self, pid: int) -> set[int]:
        """Return the running processes that this child has started, including those it moved out of reach."""
        if not self._sees:
            return set()
        orphans = children(os.getpid()) - self._before - unreaped
        mark = f"{VARIABLE}={self.mark}".encode()
        return {*children(pid), *(one for one in orphans if _is_of(one, mark))}


def leave_orphans() -> None:
    """Stop being a subreaper: a command that replaces this process would inherit that."""
    _take_in_orphans(False)


def _take_in_orphans(wanted: bool = True) -> bool:
    """Make this process a subreaper, or not; return whether the system supports that."""
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def children(pid: int) -> frozenset[int]:
    """Return the running children of a process; none if the system does not list them."""
    found: set[int] = set()
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found.update(int(number) for number in file.read().split())
    except (OSError, ValueError):
        pass
    return frozenset(one for one in found if _stat(one)[1] not in _ENDED)


def named(pids: Iterable[int]) -> list[Adopted]:
    """Return those of these processes that are running, with their names."""
    told = ((pid, *_stat(pid)) for pid in sorted(pids))
    return [Adopted(pid, name) for pid, name, state in told if state not in _ENDED]


def _is_of(pid: int, mark: bytes) -> bool:
    """Return whether a process has the mark in its environment, or is a fork of this one that started no program."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            if mark in file.read():
                return True
        with open(f"/proc/{pid}/cmdline", "rb") as file, open("/proc/self/cmdline", "rb") as own:
            return file.read() == own.read()
    except OSError:
        return False


def end(pids: Iterable[int]) -> None:
    """Kill these processes and everything they have started."""
    left = set(pids)
    for _ in range(_ROUNDS):
        below = {one for pid in left for one in children(pid)}
        for pid in left:
            try:
                os.kill(pid, _SIGKILL)
                os.waitpid(pid, os.WNOHANG)
            except (ProcessLookupError, PermissionError, ChildProcessError):
                pass
        left = below
        if not left:
            return


def _stat(pid: int) -> tuple[str, str]:
    """Return a process's name and state; ("", "") if there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            stat = parse_stat(file.read())
    except OSError:
        return "", ""
    return ("", "") if stat is None else (stat.name, stat.state)
