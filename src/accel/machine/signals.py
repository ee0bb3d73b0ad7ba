"""Ends a process, making sure that it is the one that was inspected and not another with the same number.

On Linux a descriptor refers to the process (pidfd_open, Linux 5.3), so its number cannot be reused between inspection
and signal. On other systems the process is inspected just before the signal.
"""

import os
import signal
import time
from collections.abc import Callable
from typing import Final

from accel.machine.descriptors import readable

_POLL_SECONDS: Final = 0.05


class Target:
    """A process to end. Raises ProcessLookupError if it is gone or is another one by now."""

    def __init__(self, pid: int, is_same: Callable[[], bool]) -> None:
        self._pid, self._is_same = pid, is_same
        opened = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else -1
        self._descriptor = opened
        if not is_same():
            self.close()
            raise ProcessLookupError(3, "No such process")

    def send(self, name: str) -> None:
        """Send "TERM" or "KILL". Raises PermissionError, and ProcessLookupError if it is gone."""
        number = getattr(signal, f"SIG{name}")
        if self._descriptor >= 0:
            signal.pidfd_send_signal(self._descriptor, number)
        elif self._is_same():
            os.kill(self._pid, number)
        else:
            raise ProcessLookupError(3, "No such process")

    def ends_within(self, seconds: float) -> bool:
        """Wait; return whether it has ended. A zombie has."""
        if self._descriptor >= 0:
            return bool(readable([self._descriptor], seconds))
        until = time.monotonic() + seconds
        while self._is_same():
            if time.monotonic() >= until:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def own_family() -> tuple[int, ...]:
    """Return this process and its ancestors, as far as they are known."""
    return (os.getpid(), os.getppid())
