"""A forked child and its process group, signalled only while their number still belongs to them.

Once a child has been reaped its number may be reused, and a signal to the group could kill somebody else's processes.
"""

import os
import time
from typing import Final

_SIGKILL: Final = 9  # signal.SIGKILL: importing signal, to make enumerations, would delay every answer
_END_SECONDS: Final = 1.0  # for a child that has closed its pipe to end
_TRY_SECONDS: Final = 0.002
unreaped: "Final[set[int]]" = set()  # the numbers of this process's forks


class Child:
    """A fork that calls setsid(), so that all it starts is in its group. pid: its number, and that of the group."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status: int | None = None  # as waitpid() gives it, once the child is reaped
        unreaped.add(pid)

    def how_it_ended(self) -> str:
        """Return a signal's name or "exit 3", for a child that has closed its pipe. Does not reap it."""
        if not hasattr(os, "waitid"):  # macOS before Python 3.13: only by reaping; the group is killed before
            self.kill()
        return self.ending_within(_END_SECONDS) or "it closed its pipe"

    def kill(self) -> None:
        """Kill the child and what it started, without waiting: a process stuck in a driver cannot be killed."""
        if self._is_in_table():
            try:
                os.killpg(self.pid, _SIGKILL)
            except (ProcessLookupError, PermissionError):
                os.kill(self.pid, _SIGKILL)  # it has not called setsid() yet
        self.reap()

    def reap(self) -> bool:
        """Reap the child if it has ended; return whether it is gone."""
        if self._status is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # other code of this process waits for any child, or ignores SIGCHLD
                pid, status = self.pid, 0
            self._status = status if pid else None
            if pid:
                unreaped.discard(self.pid)
        return self._status is not None

    def _is_in_table(self) -> bool:
        if self._status is None and hasattr(os, "waitid"):
            try:
                os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
            except ChildProcessError:
                self._status = 0
                unreaped.discard(self.pid)
        return self._status is None

    def ending_within(self, seconds: float) -> str | None:
        """Wait for the child to end; return how it ended, or None if it has not in time."""
        deadline = time.monotonic() + seconds
        while (ending := self._ending()) is None and time.monotonic() < deadline:
            time.sleep(_TRY_SECONDS)
        return ending

    def _ending(self) -> str | None:
        """Return how the child ended; None while it is running."""
        if self._status is None and hasattr(os, "waitid"):
            try:
                ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
            except ChildProcessError:
                return "other code took its exit status"
            if ended is None:
                return None
            return f"exit {ended.si_status}" if ended.si_code == os.CLD_EXITED else _signal_name(ended.si_status)
        if not self.reap():
            return None
        status = self._status or 0
        return _signal_name(os.WTERMSIG(status)) if os.WIFSIGNALED(status) else f"exit {status >> 8}"


def _signal_name(number: int) -> str:
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
