"""Runs the child, and starts a new one for the remaining jobs if the plugin hangs or crashes it."""

import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import IO, Any, Final, Literal

from accel.kit.carried import holds_shape, read, written
from accel.kit.child import HEAD, LOADING, Orders
from accel.kit.evidence import Ending, KitRun, Loading, TextTrial
from accel.machine.kill_with_parent import KillWithParent

_START_SECONDS: Final = 20.0  # to start the interpreter and import accel's own modules
_GRACE_SECONDS: Final = 0.3  # for the message that a call has returned
_DUMP_SECONDS: Final = 1.0  # for faulthandler to dump the child's stack
_MOST_ENDINGS: Final = 12
_MOST_WAITING: Final = 1000  # messages received and not yet processed
_MOST_MESSAGES: Final = 1_000_000  # per child: a plugin that found the pipe may flood it
_MOST_BYTES: Final = 256 << 20  # per message
_MOST_SAID: Final = 20_000  # bytes kept from the end of stderr
_LESS_PATIENCE: Final = 0.3  # once a call has hung: what hangs on one machine hangs on most


def begun(paths: Sequence[str], errors: IO[bytes], kept: tuple[int, ...]) -> "subprocess.Popen[bytes]":
    """Start the child in its own session: an interpreter that looks for modules only in these paths.

    errors  where its stderr goes; kept: descriptors that it inherits
    """
    return subprocess.Popen(
        [sys.executable, "-c", _START, *paths],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        start_new_session=True,
        pass_fds=kept,
    )


_MESSAGES: Final[tuple[Any, ...]] = (
    tuple[Literal["step"], str, str, str, str, float],
    tuple[Literal["done"], tuple[str, str], Loading | KitRun | tuple[TextTrial, ...]],
    tuple[Literal["end"]],
)
Begin = Callable[[Sequence[str], IO[bytes], tuple[int, ...]], "subprocess.Popen[bytes]"]


class Trying:
    """All results of the orders: `results` by job, `endings` of calls that did not return.

    begin  starts a child
    """

    def __init__(self, begin: Begin = begun) -> None:
        self._begin = begin
        self.results: dict[tuple[str, str], Any] = {}
        self.endings: list[Ending] = []

    def carry_out(self, orders: Orders) -> None:
        """Carry out the orders; methods that hang or crash are skipped from then on."""
        for _ in range(_MOST_ENDINGS):
            ending, method = self._one_child(orders)
            if ending is None:
                return
            self.endings.append(ending)
            if method in orders.skip or method in LOADING:
                return
            patience = _LESS_PATIENCE if ending.how == "hang" else orders.patience
            skip = orders.skip | {method}
            if ending.where and any(ending.where == other.where for other in self.endings[:-1]):
                skip |= _BY_PROBING  # these calls share the code that does not return
            orders = replace(orders, skip=skip, done=frozenset(self.results), patience=patience)

    def _one_child(self, orders: Orders) -> tuple[Ending | None, str]:
        with tempfile.TemporaryFile() as errors, _lifeline() as lifeline:
            child = self._begin(orders.paths, errors, (lifeline.reader,) if lifeline else ())
            assert child.stdin is not None
            assert child.stdout is not None
            try:
                if lifeline:
                    lifeline.tie(child.pid)
                    lifeline.close_reader()
                try:
                    child.stdin.write(written(orders))
                    child.stdin.close()
                except BrokenPipeError:
                    pass
                messages: queue.Queue[tuple[Any, ...] | None] = queue.Queue(_MOST_WAITING)
                threading.Thread(target=_read, args=(child.stdout, messages), daemon=True).start()
                step, late = self._follow(messages)
                _end(child, late)
            finally:  # also on KeyboardInterrupt
                _kill(child)
            errors.seek(-min(_MOST_SAID, errors.seek(0, os.SEEK_END)), os.SEEK_END)
            said = errors.read().decode("utf-8", "replace")
        if step is None:
            return None, ""
        method, call, machine, situation, seconds = step
        ending = Ending(
            call=call,
            machine=machine,
            situation=situation,
            how="hang" if late else "crash",
            detail=f"did not return within {seconds:g} s" if late else _death(child.returncode, said),
            where=_where(said, orders.subject.module),
        )
        return ending, method

    def _follow(self, messages: "queue.Queue[tuple[Any, ...] | None]") -> tuple[tuple[Any, ...] | None, bool]:
        """Receive messages until the child ends. Return the call it ended in, if any, and whether it was late."""
        step: tuple[Any, ...] | None = ("", "the kit's own start", "", "", _START_SECONDS)
        patience = _START_SECONDS
        for _ in range(_MOST_MESSAGES):
            try:
                message = messages.get(timeout=patience + _GRACE_SECONDS)
            except queue.Empty:
                return step, True
            if message is None:
                return step, False
            if message[0] == "step":
                step, patience = message[1:], message[5]
            elif message[0] == "done":
                self.results[message[1]] = message[2]
                patience = _START_SECONDS
            elif message[0] == "end":
                return None, False  # everything was received: do not wait for a thread or an exit handler of the plugin
        return step, True


_BY_PROBING: Final = frozenset({"memory", "sample", "processes"})
_START: Final = "import sys; sys.path[:] = sys.argv[1:]; from accel.kit import child; child.main()"


@contextmanager
def _lifeline() -> Iterator[KillWithParent | None]:
    lifeline = KillWithParent() if os.name == "posix" else None
    try:
        yield lifeline
    finally:
        if lifeline:
            lifeline.let_go()


def _read(pipe: IO[bytes], messages: "queue.Queue[tuple[Any, ...] | None]") -> None:
    while len(head := pipe.read(HEAD.size)) == HEAD.size and HEAD.unpack(head)[0] <= _MOST_BYTES:
        payload = pipe.read(HEAD.unpack(head)[0])
        try:
            message = read(payload)
        except Exception as error:  # a partial message of a child that died, or something a plugin wrote to the pipe
            message = ("unread", str(error))
        messages.put(message if any(holds_shape(message, one) for one in _MESSAGES) else ("unread", "no message"))
    messages.put(None)


def _end(child: "subprocess.Popen[bytes]", late: bool) -> None:
    """Wait for a child that has ended; abort one that is late, so that it dumps its stack, and kill what is left."""
    if late:
        child.send_signal(getattr(signal, "SIGABRT", signal.SIGTERM))
    try:
        child.wait(_DUMP_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    _kill(child)
    try:
        child.wait(_DUMP_SECONDS)
    except subprocess.TimeoutExpired:
        child.returncode = -9  # stuck in a driver: waiting for it would block


def _kill(child: "subprocess.Popen[bytes]") -> None:
    if hasattr(os, "killpg"):
        try:
            os.killpg(child.pid, signal.SIGKILL)  # including a vendor's tool that it may have started
            return
        except (ProcessLookupError, PermissionError):
            pass
    child.kill()


def _death(code: int | None, said: str) -> str:
    if code is not None and code < 0:
        try:
            return f"killed the process ({signal.Signals(-code).name})"
        except ValueError:
            return f"killed the process (signal {-code})"
    last = said.strip().splitlines()[-1:] or [""]
    return f"ended the process (exit code {code}{': ' + last[0][:120] if last[0] else ''})"


def _where(said: str, module: str) -> str | None:
    """Return the plugin's innermost line in a faulthandler traceback, which lists the innermost frame first."""
    package = re.escape(module.split(".")[0])
    found = re.search(rf'File ".*?[/\\]({package}(?:\.py|[/\\][^"]*))", line (\d+)', said)
    return f"{found[1]}:{found[2]}" if found else None
