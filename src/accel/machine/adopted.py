"""Processes that others leave behind on purpose: in a session of their own, where no signal to a group reaches them.

On Linux an orphan goes to the nearest ancestor that takes orphans in (PR_SET_CHILD_SUBREAPER). This process takes them
in as soon as a stranger's code is about to run in a child: whatever that leaves is then a child of this process, is
known, and can be ended. Elsewhere such a process is not seen.
Source  prctl(2); proc_pid_task_tid_children(5)
"""

import os
import sys
import time
from collections.abc import Iterable
from typing import Final, NamedTuple

from accel.machine.child import unreaped

VARIABLE: Final = "ACCEL_GUEST"  # in the child: by it a program is known that the child started
_SIGKILL: Final = 9  # signal.SIGKILL, without importing signal
_PR_SET_CHILD_SUBREAPER: Final = 36
_ENDED: Final = ("", "Z", "X")  # states of a process; "": there is none
_ROUNDS: Final = 3  # what is ended may have left another


class Adopted(NamedTuple):
    """A process that somebody left. name: as the kernel has it."""

    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} (process {self.pid})"


class Watched:
    """What the descendants of a child leave. Made before that child is forked, which sets `mark` in its variables."""

    def __init__(self) -> None:
        self._sees = _take_in_orphans()
        self._before = children(os.getpid()) if self._sees else frozenset()
        self.mark = f"{os.getpid()}-{time.monotonic_ns()}"

    def of(self, pid: int) -> set[int]:
        """Return the processes that this child has started and that run, those among them that it put out of reach."""
        if not self._sees:
            return set()
        orphans = children(os.getpid()) - self._before - unreaped
        mark = f"{VARIABLE}={self.mark}".encode()
        return {*children(pid), *(one for one in orphans if _is_of(one, mark))}


def leave_orphans() -> None:
    """Take in no orphans any more: a command that this process becomes would inherit that."""
    _take_in_orphans(False)


def _take_in_orphans(wanted: bool = True) -> bool:
    """Make this process the parent of what its descendants leave, or not; say whether the system can do that."""
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def children(pid: int) -> frozenset[int]:
    """Return the children of a process that run; none where the system does not tell."""
    found: set[int] = set()
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                found.update(int(number) for number in file.read().split())
    except (OSError, ValueError):
        pass
    return frozenset(one for one in found if _stat(one)[1] not in _ENDED)


def named(pids: Iterable[int]) -> list[Adopted]:
    """Return those of these processes that run, with their names."""
    told = ((pid, *_stat(pid)) for pid in sorted(pids))
    return [Adopted(pid, name) for pid, name, state in told if state not in _ENDED]


def _is_of(pid: int, mark: bytes) -> bool:
    """Whether a process has this in its variables, or is a fork of this one that has started no program."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            if mark in file.read():
                return True
        with open(f"/proc/{pid}/cmdline", "rb") as file, open("/proc/self/cmdline", "rb") as own:
            return file.read() == own.read()
    except OSError:
        return False


def end(pids: Iterable[int]) -> None:
    """Kill these processes, and what they have started."""
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
    """Return the name and the state of a process; ("", "") if there is none."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            before, _, after = file.read().rpartition(")")
    except OSError:
        return "", ""
    return before.partition("(")[2], after.split()[0]
