"""Ends a process group when this process ends, however that comes: by itself, by Ctrl-C, or killed by SIGKILL.

A pipe has its reading end in the group and its writing end here alone. When the last writer is gone, Linux signals the
owner of the reading end, if that asks for it (O_ASYNC): SIGKILL to the group. So it needs no thread, no ctypes and no
help of what runs there, which may hang in a driver or hold the interpreter's lock. A tool keeps the end that it
inherits; one that closes all descriptors, or leaves its group as a daemon does, slips the leash.
Other systems know no signal of choice for a pipe: there a group ends only where this process can still end it.
Source  fcntl(2): F_SETOWN, F_SETSIG; prctl(2) has PR_SET_PDEATHSIG, which a tool's own children do not inherit
"""

import os
import sys
from typing import TYPE_CHECKING, Final

from accel.machine.descriptors import readable

if TYPE_CHECKING:
    from collections.abc import Callable

_SIGKILL: Final = 9  # signal.SIGKILL, without importing signal
_writers: Final[set[int]] = set()  # of the leashes that this process holds


class KillWithParent:
    """reader: the end that the group inherits. Close it here as soon as the group has it."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        _writers.add(self._writer)

    def tie(self, group: int) -> None:
        """Bind the group to the life of the process that made the leash. Kills it at once if that has ended."""
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
        """Return what a child calls in its own group before its program starts (`preexec_fn`): it ties that group.

        So no moment is left in which the program runs untied and this process may be killed. None where other threads
        run, as they may hold a lock that the fork would wait for: there, call `tie` once the program has started.
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
        """Close what is open here of it. What is left of the group is killed by that."""
        self.close_reader()
        if self._writer in _writers:
            _writers.remove(self._writer)
            os.close(self._writer)


def _in_a_fork() -> None:
    """Only the process that made a leash may hold it: a fork that kept it would keep the group alive."""
    for writer in _writers:
        try:
            os.close(writer)
        except OSError:
            pass
    _writers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_a_fork)
