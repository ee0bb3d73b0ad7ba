"""Ends a command cleanly on Ctrl-C, SIGTERM and SIGHUP, with everything written."""

import os
import signal
import time
from typing import Any

from accel.machine.descriptors import readable


class Stop:
    """Handles signals that ask the process to end; restores the previous handlers afterwards.

    asked   whether one arrived
    raises  whether the next one raises KeyboardInterrupt: for calls that wait long and clean up after themselves
    """

    def __init__(self) -> None:
        self.asked = self.raises = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Stop":
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._wakeup = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # respect nohup
                self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        signal.set_wakeup_fd(self._wakeup)
        os.close(self._read)
        os.close(self._write)

    def fileno(self) -> int:
        """Return a descriptor that becomes readable once a signal arrives."""
        return self._read

    def waited(self, seconds: float) -> bool:
        """Wait; return whether a signal asked to stop, immediately if one arrives."""
        until = time.monotonic() + seconds
        while not self.asked and (rest := until - time.monotonic()) > 0:
            if readable([self._read], rest):
                os.read(self._read, 512)
        return self.asked

    def _ask(self, *_: object) -> None:
        self.asked = True
        if self.raises:
            self.raises = False
            raise KeyboardInterrupt
