"""Kills a process group when this process ends, for whatever reason: a normal exit, Ctrl-C, or SIGKILL.

The group holds the read end of a pipe, and only this process holds the write end. When the last writer is gone, Linux
signals the owner of the read end if that has asked for it (O_ASYNC): here, SIGKILL to the group. This needs no thread,
no ctypes and no cooperation from what runs there, which may be stuck in a driver or hold the interpreter's lock. A tool
keeps the end that it inherits; one that closes all descriptors, or leaves its group as daemons do, escapes.
Other systems cannot choose the signal of a pipe: there a group is only killed if this process can still do so.
Source  fcntl(2): F_SETOWN, F_SETSIG; prctl(2) has PR_SET_PDEATHSIG, which a tool's own children do not inherit
"""

import os
import sys
from typing import TYPE_CHECKING, Final

from accel.machine.descriptors import readable

if TYPE_CHECKING:
    from collections.abc import Callable

_PR_SET_PDEATHSIG: Final = 1
_SIGKILL, _SIGTERM = 9, 15  # without importing signal
_writers: Final[set[int]] = set()  # of the leashes that this process holds


class KillWithParent:
    """reader: the end that the group inherits. Close it in this process as soon as the group has it."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        _writers.add(self._writer)

    def tie(self, group: int) -> None:
        """Tie the group to the process that created this object. Kills it at once if that process has ended."""
        if sys.platform != "linux":
            return
        import fcntl

        try:
            fcntl.fcntl(self.reader, fcntl.F_SETOWN, -group)
            fcntl.fcntl(self.reader, fcntl.F_SETSIG, _SIGKILL)
            fcntl.fcntl(self.reader, fcntl.F_SETFL, fcntl.fcntl(self.reader, fcntl.F_GETFL) | fcntl.FASYNC)
        except OSError:  # a sandbox's kernel may know none of it
            return
        if readable([self.reader], 0):
            os.killpg(group, _SIGKILL)

    def tie_before_exec(self) -> "Callable[[], None] | None":
        """Return a function for a child to call in its own group before its program starts (`preexec_fn`), which ties
        the group.

        This leaves no moment in which the program runs untied while this process may be killed. None if other threads
        are running, which may hold a lock that the fork would wait for; then call `tie` once the program has started.
        """
        if sys.platform != "linux":
            return None
        try:
            if len(os.listdir("/proc/self/task")) > 1:
                return None
        except OSError:
            return None
        import fcntl  # noqa: F401 - so that the fork need not

        return lambda: self.tie(os.getpid())

    def close_reader(self) -> None:
        if self.reader >= 0:
            os.close(self.reader)
            self.reader = -1

    def let_go(self) -> None:
        """Close this process's ends, which kills what is left of the group."""
        self.close_reader()
        if self._writer in _writers:
            _writers.remove(self._writer)
            os.close(self._writer)


def dying_with_parent() -> "Callable[[], None] | None":
    """Return a `preexec_fn` for a child that makes Linux send it SIGTERM when this process ends.

    For programs that close inherited descriptors, as ssh does, and so escape the group. The child has to end its own
    children. The call takes no lock, so other threads do not matter.
    """
    if sys.platform != "linux":
        return None
    import ctypes

    control, parent = ctypes.CDLL(None).prctl, os.getpid()

    def tie() -> None:
        control(_PR_SET_PDEATHSIG, _SIGTERM, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return tie


def _in_a_fork() -> None:
    """Close the write ends in a fork: only the process that created them may hold them, or the group stays alive."""
    for writer in _writers:
        try:
            os.close(writer)
        except OSError:
            pass
    _writers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_a_fork)
