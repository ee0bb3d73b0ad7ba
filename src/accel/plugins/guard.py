"""Runs third-party code in a process of its own: each of its answers has a deadline and arrives as bytes.

In commands, whose process belongs to accel, no code of third-party plugins runs in that process. It runs in a fork:
whatever it does to Python, accel, descriptors, signals, memory or the process itself stays there. The parent receives
bytes over a pipe, treated as data only, or else one sentence that says why there are none. What the code prints goes
through a second pipe, is cut to a few lines, and is shown on stderr with the plugin's name.
"""

import os
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from accel.machine import adopted
from accel.machine.child import Child
from accel.machine.descriptors import write_all
from accel.machine.kill_with_parent import KillWithParent

HEAD: Final = struct.Struct("<I")  # the length of a request or an answer
MOST_MEMORY: Final = 1 << 30  # bytes of address space beyond what accel has at the fork
_MOST_ANSWER: Final = 16 << 20
_MOST_FILE: Final = 16 << 20  # bytes of a file that it writes
_MOST_SAID: Final = 2000  # bytes of its output that are kept
_CHUNK: Final = 1 << 16
_END_SECONDS: Final = 1.0  # for a process that was killed to be gone
_accel_s: Final[list[Any]] = []  # streams in a fork: to let go of one would close a number that another has by then
_living: "Final[list[GuestProcess]]" = []


class Fault(Exception):
    """Why there is no answer, as the end of a sentence: "did not end within 3 s"."""


class GuestProcess:
    """A fork that serves requests until it is ended.

    serve  what the fork does with its two descriptors, one for requests and one for answers
    """

    def __init__(self, serve: Callable[[int, int], None]) -> None:
        self._watched = adopted.Watched()
        asked, self._ask = os.pipe()
        self._answer, answers = os.pipe()
        self._said, says = os.pipe()
        self._lifeline = KillWithParent()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # closed: main says so
                stream.flush()
        pid = os.fork()
        if pid == 0:
            _work(serve, asked, answers, says, self._lifeline, self._watched.mark)
        for end in (asked, answers, says):
            os.close(end)
        self._lifeline.close_reader()
        for end in (self._ask, self._answer, self._said):
            os.set_blocking(end, False)
        self._child: Child | None = Child(pid)
        self.pid = pid
        self._printed = bytearray()
        _living.append(self)

    @property
    def is_alive(self) -> bool:
        return self._child is not None

    def answer(self, request: bytes, seconds: float) -> bytes:
        """Return the answer to a request. Raises Fault, after which the process is gone."""
        try:
            answer = self._exchanged(HEAD.pack(len(request)) + request, time.monotonic() + seconds, seconds)
        except Fault as fault:
            stayed = self.end()
            raise Fault(f"{fault}, and left a process running: {', '.join(stayed)}") if stayed else fault from None
        if left := self._left_running():
            self.end()
            raise Fault(f"left a process running: {', '.join(left)}")
        return answer

    def printed(self) -> str:
        """Return what it has printed since the last call, cut to a few lines."""
        if self.is_alive:
            self._hear()
        said = bytes(self._printed).decode("utf-8", "replace").strip()
        if said:
            del self._printed[:]
        return said

    def end(self) -> tuple[str, ...]:
        """Kill it and everything it started; return the names of processes that it had moved out of reach."""
        if self._child is None:
            return ()
        self._hear()
        child, self._child = self._child, None
        _living.remove(self)
        for end in (self._ask, self._answer, self._said):
            os.close(end)
        started = self._watched.of(child.pid)
        child.kill()
        self._lifeline.let_go()
        child.ending_within(_END_SECONDS)
        child.reap()
        left = adopted.named({*started, *self._watched.of(child.pid)})
        adopted.end(one.pid for one in left)
        return tuple(map(str, left))

    def _exchanged(self, request: bytes, deadline: float, seconds: float) -> bytes:
        import select

        assert self._child is not None
        to_send, got = memoryview(request), bytearray()
        poll = select.poll()
        poll.register(self._answer, select.POLLIN)
        poll.register(self._said, select.POLLIN)
        poll.register(self._ask, select.POLLOUT)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Fault(f"did not end within {seconds:g} s")
            ready = dict(poll.poll(left * 1000 + 1))
            if self._said in ready and not self._hear():
                poll.unregister(self._said)
            if self._ask in ready:
                try:
                    to_send = to_send[os.write(self._ask, to_send[:_CHUNK]) :]
                except BlockingIOError:
                    pass
                except BrokenPipeError:
                    to_send = to_send[:0]
                if not to_send:
                    poll.unregister(self._ask)
            if self._answer not in ready:
                continue
            data = os.read(self._answer, _CHUNK)
            if not data:
                raise Fault(f"ended the process that tried it ({self._child.how_it_ended()})")
            got += data
            if len(got) >= HEAD.size:
                wanted = HEAD.size + HEAD.unpack_from(got)[0]
                if len(got) > wanted or wanted > _MOST_ANSWER:
                    raise Fault("wrote to a pipe that is not its own, or gave an answer that is too long")
                if len(got) == wanted:
                    return bytes(got[HEAD.size :])

    def _hear(self) -> bool:
        """Collect what it has printed; return whether it may print more."""
        while True:
            try:
                data = os.read(self._said, _CHUNK)
            except BlockingIOError:
                return True
            self._printed += data[: max(0, _MOST_SAID - len(self._printed))]
            if not data:
                return False
            if len(data) < _CHUNK:
                return True

    def _left_running(self) -> list[str]:
        """Return the processes that it started and that are still running, worded for a sentence."""
        return [] if self._child is None else [str(one) for one in adopted.named(self._watched.of(self._child.pid))]


def once(act: Callable[[], bytes], seconds: float) -> bytes:
    """Return the result of a function that runs in a process of its own. Raises Fault if there is none in time."""

    def serve(ask: int, answer: int) -> None:
        received(ask)
        send(answer, act())

    process = GuestProcess(serve)
    try:
        return process.answer(b"", seconds)
    finally:
        process.end()


def end_all() -> None:
    """End all guest processes when the command ends."""
    for process in tuple(_living):
        process.end()
    adopted.leave_orphans()


def received(pipe: int) -> bytes:
    """Read a request. Raises EOFError at the end."""
    (length,) = HEAD.unpack(_exactly(pipe, HEAD.size))
    return _exactly(pipe, length)


def send(pipe: int, answer: bytes) -> None:
    write_all(pipe, HEAD.pack(len(answer)) + answer)


def close_all_but(kept: set[int]) -> None:
    """Close all descriptors above 2 except these: plugins must not reach what accel has open."""
    low = 3
    for descriptor in sorted(kept):
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, _most_descriptors())


def _most_descriptors() -> int:
    import resource

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 1 << 20 if limit == resource.RLIM_INFINITY else limit


def _exactly(pipe: int, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        part = os.read(pipe, min(length - len(data), 1 << 20))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def _work(
    serve: Callable[[int, int], None], ask: int, answer: int, says: int, lifeline: KillWithParent, mark: str
) -> None:
    """Serve in the fork, then exit without running the parent's exit handlers."""
    leave = os._exit
    try:
        os.setsid()
        lifeline.tie(os.getpid())
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.dup2(says, 1)
        os.dup2(says, 2)
        close_all_but({ask, answer, lifeline.reader} - {-1})
        _accel_s.extend((sys.stdout, sys.stderr))
        streams: Any = (open(number, "w", 1, "utf-8", "replace", closefd=False) for number in (1, 2))  # noqa: SIM115
        sys.stdout, sys.stderr = streams
        vars(sys).update(__stdout__=sys.stdout, __stderr__=sys.stderr)
        os.environ[adopted.VARIABLE] = mark
        _bound_memory()
        serve(ask, answer)
    except EOFError:  # the command has ended
        pass
    finally:
        leave(0)


def _bound_memory() -> None:
    """Limit its additional memory and the size of files that it may write, and disable core dumps."""
    import resource

    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (_MOST_FILE, _MOST_FILE))
        with open("/proc/self/statm", encoding="ascii") as file:
            most = int(file.read().split()[0]) * resource.getpagesize() + MOST_MEMORY
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (OSError, ValueError):  # a system that does not tell, or does not let
        pass


def _in_a_fork() -> None:
    """Close these pipes in other forks, which could otherwise answer in a guest's place or keep it alive."""
    for process in _living:
        for end in (process._ask, process._answer, process._said):
            try:
                os.close(end)
            except OSError:
                pass
        process._child = None
    _living.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_a_fork)
