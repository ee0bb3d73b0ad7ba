"""Makes one call to the plugin: announces it to the parent first, watches and times it, truncates endless results."""

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Final, Protocol

from accel.kit.carried import written
from accel.kit.evidence import Answer
from accel.kit.watch import Watch
from accel.kit.watched_machine import WatchedMachine
from accel.machine.descriptors import readable

MOST_ITEMS: Final = 1000  # the most that any call may sensibly return
_MOST_WRITTEN: Final = 32 << 20
_FORK_SECONDS: Final = 3.0


class Step(Protocol):
    """Tells the parent which call comes next, and for how many seconds it may run."""

    def __call__(self, method: str, call: str, machine: str, situation: str, seconds: float) -> None: ...


class Caller:
    """Calls on one machine in one situation. skip: methods that hung or crashed before and are left out."""

    def __init__(self, watch: Watch, step: Step, skip: frozenset[str], name: str, situation: str) -> None:
        self._watch, self._step, self._skip = watch, step, skip
        self._name, self._situation = name, situation
        self.answers: list[Answer] = []

    def call(
        self, call: str, function: Callable[[], Any], machine: WatchedMachine | None = None, seconds: float = 3.0
    ) -> Answer | None:
        """Make the call and keep the answer; return None if the call is skipped."""
        method = call.split(" ", 1)[0]
        if method in self._skip:
            return None
        self._step(method, call, self._name, self._situation, seconds)
        commands, waited = (len(machine.commands), machine.waited) if machine else (0, 0.0)
        value, raised, where, carried, endless = None, None, None, None, False
        start = time.perf_counter()
        with self._watch.watching() as effects:
            try:
                value, endless = taken(function())
            except (Exception, SystemExit) as error:
                raised, where = sentence(error), self._watch.line_of(error.__traceback__)
        spent = time.perf_counter() - start
        if carried := not_carried(value):
            value = None
        answer = Answer(
            call=call,
            machine=self._name,
            situation=self._situation,
            value=value,
            raised=raised,
            where=where,
            carried=carried,
            endless=endless,
            seconds=spent,
            effects=tuple(effects),
            commands=tuple(machine.commands[commands:]) if machine else (),
            waited=machine.waited - waited if machine else 0.0,
        )
        self.answers.append(answer)
        return answer

    def call_in_fork(self, call: str, function: Callable[[], Any]) -> None:
        """Make the call in a fork of this process, as a data loader's worker would; its value is a list of texts."""
        if {"fork", call.split(" ", 1)[0]} & self._skip or not hasattr(os, "fork"):
            return
        self._step("fork", call, self._name, self._situation, _FORK_SECONDS + 1.0)
        raised, value = None, None
        with self._watch.allowed():
            read, write = os.pipe()
            pid = os.fork()
            if pid == 0:
                _told(function, write)
            os.close(write)
            said = _heard(read, pid)
        if said is None:
            raised = "the forked process hung or died in it"
        elif said[:1] == b"!":
            raised = said[1:].decode("utf-8", "replace")
        else:
            value = tuple(map(str, json.loads(said)))
        self.answers.append(
            Answer(call=call, machine=self._name, situation=self._situation, value=value, raised=raised)
        )


def taken(value: Any) -> tuple[Any, bool]:
    """Return the value with iterables converted to tuples, truncated if endless, and whether it was truncated."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return (dict(value) if isinstance(value, Mapping) else value), False
    items = tuple(islice(value, MOST_ITEMS + 1))
    return items[:MOST_ITEMS], len(items) > MOST_ITEMS


def sentence(error: BaseException) -> str:
    """Return an exception as one line of text."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def not_carried(value: Any) -> str | None:
    """Return why a value cannot be sent to another process; None if it can be sent."""
    try:
        size = len(written(value))
    except Exception as error:  # what a plugin returns may be anything
        return sentence(error)
    return f"it takes {size >> 20} MiB" if size > _MOST_WRITTEN else None


def _told(function: Callable[[], Any], write: int) -> None:
    try:
        said = json.dumps([str(item) for item in function()]).encode()
    except BaseException as error:
        said = b"!" + sentence(error).encode()
    try:
        os.write(write, said[:60_000])
    finally:
        os._exit(0)


def _heard(read: int, pid: int) -> bytes | None:
    import signal

    said = b""
    deadline = time.monotonic() + _FORK_SECONDS
    while (left := deadline - time.monotonic()) > 0 and readable([read], left):
        data = os.read(read, 1 << 16)
        if not data:
            break
        said += data
    else:
        os.kill(pid, signal.SIGKILL)
        said = b""
    os.close(read)
    os.waitpid(pid, 0)
    return said or None
