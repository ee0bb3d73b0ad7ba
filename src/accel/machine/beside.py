"""A command that runs alongside an event loop: its output is collected as it arrives, and it ends with this process."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import Final

from accel.machine.kill_with_parent import KillWithParent

_MOST_BYTES: Final = 16 << 20
_PIECE: Final = 1 << 16


class Beside:
    """A command in its own session, without stdin. Raises OSError if it cannot be started."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str]) -> None:
        self._lifeline = KillWithParent()
        tie_before_exec = self._lifeline.tie_before_exec()
        try:
            self._child = subprocess.Popen(
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                start_new_session=True,
                pass_fds=(self._lifeline.reader,),
                preexec_fn=tie_before_exec,
            )
        except OSError:
            self._lifeline.let_go()
            raise
        if tie_before_exec is None:
            self._lifeline.tie(self._child.pid)
        self._lifeline.close_reader()
        assert self._child.stdout is not None
        self._pipe = self._child.stdout
        os.set_blocking(self._pipe.fileno(), False)
        self._heard = bytearray()

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when there is output."""
        return self._pipe.fileno()

    def take(self) -> bytes | None:
        """Collect the output so far; return all of it once the command has closed its end, None before that."""
        try:
            while data := os.read(self._pipe.fileno(), _PIECE):
                if len(self._heard) < _MOST_BYTES:
                    self._heard += data
        except BlockingIOError:
            return None
        return bytes(self._heard)

    def close(self) -> None:
        """Kill it and what it started, without waiting: a process stuck in a driver cannot be killed."""
        try:
            if self._child.returncode is None:  # else it is reaped, and its number may be another's
                os.killpg(self._child.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        self._lifeline.let_go()
        self._pipe.close()
        if self._child.poll() is None:
            self._child.returncode = -9  # else its __del__ warns
