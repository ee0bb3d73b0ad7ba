"""A command whose output is read while it runs, with the same safeguards as `accel.machine.process.run`.

    with Streamed(argv, environment) as command:
        while piece := command.take(0.5): …

It has its own session, ends with this process, and is killed with everything it started when it is closed.
"""

import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from accel.machine.descriptors import readable
from accel.machine.process import has_ended, kill, started

if TYPE_CHECKING:
    from queue import Queue
    from typing import IO

_PIECE: Final = 1 << 16
_ENDING_SECONDS: Final = 1.0  # for a command that has closed its pipes to leave
_TRY_SECONDS: Final = 0.005


class Streamed:
    """A running command. Raises OSError, ValueError or IndexError if it cannot be started."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str]) -> None:
        self._child, self._lifeline = started(argv, environment)
        self.pid = self._child.pid
        assert self._child.stdout is not None
        assert self._child.stderr is not None
        self._open = {"stdout": self._child.stdout, "stderr": self._child.stderr}
        self._pieces = None if os.name == "posix" else self._by_threads()

    def __enter__(self) -> "Streamed":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        """Whether any of its processes can still write to the pipes."""
        return bool(self._open)

    def take(self, seconds: float) -> list[tuple[str, bytes]]:
        """Wait for output; return pieces as ("stdout" or "stderr", bytes). [] on timeout or at the end."""
        if self._pieces is not None:
            return self._taken_from_threads(seconds)
        if not self._open:
            time.sleep(max(0.0, min(seconds, _TRY_SECONDS)))
            return []
        names = {pipe.fileno(): name for name, pipe in self._open.items()}
        ready = readable(names, seconds)
        if not ready and has_ended(self._child):  # one of its own children still holds its pipes
            self._open.clear()
        found = []
        for number in ready:
            data = os.read(number, _PIECE)
            if data:
                found.append((names[number], data))
            else:
                del self._open[names[number]]
        return found

    def ending(self) -> str | None:
        """Return how it ended, "exit 3" or "SIGSEGV", once its output is read; None while it is running."""
        until = time.monotonic() + _ENDING_SECONDS
        while not has_ended(self._child):
            if time.monotonic() >= until:
                return None
            time.sleep(_TRY_SECONDS)
        if not hasattr(os, "waitid"):
            return _ending(self._child.returncode or 0)
        if self._child.returncode is None:
            try:
                ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
            except ChildProcessError:
                return "an ending that other code took note of"
            if ended is None:
                return None
            return _ending(ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status)
        return _ending(self._child.returncode)

    def close(self) -> None:
        """Kill it and what it started, without waiting: a process stuck in a driver cannot be killed."""
        kill(self._child)
        if self._lifeline:
            self._lifeline.let_go()
        for pipe in (self._child.stdout, self._child.stderr):
            if pipe is not None and self._pieces is None:
                pipe.close()

    def _by_threads(self) -> "Queue[tuple[str, bytes]]":
        """Read each pipe in a thread: Windows cannot select on pipes."""
        from queue import Queue
        from threading import Thread

        pieces: Queue[tuple[str, bytes]] = Queue(maxsize=256)

        def hear(name: str, pipe: "IO[bytes]") -> None:
            data = b" "
            while data:
                try:
                    data = os.read(pipe.fileno(), _PIECE)
                except (OSError, ValueError):  # closed while it was read
                    data = b""
                pieces.put((name, data))

        for pair in self._open.items():
            Thread(target=hear, args=pair, daemon=True).start()
        return pieces

    def _taken_from_threads(self, seconds: float) -> list[tuple[str, bytes]]:
        from queue import Empty

        assert self._pieces is not None
        try:
            name, data = self._pieces.get(timeout=max(seconds, 0.0))
        except Empty:
            if has_ended(self._child):
                self._open.clear()
            return []
        if not data:
            self._open.pop(name, None)
            return []
        return [(name, data)]


def _ending(code: int) -> str:
    import signal

    if code >= 0:
        return f"exit {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:  # a real-time signal
        return f"signal {-code}"
