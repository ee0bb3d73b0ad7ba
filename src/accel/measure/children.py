"""Runs a program of accel.measure.programs in another Python, and reports each step as it happens.

    with closing(events("storage", instructions, python="/opt/env/bin/python", …)) as told:
        for event in told: …

The program runs in its own session and ends with this process. A step that takes far longer than declared, the
deadline, a crash and excessive output end with one `Lost`; no process is left running then, nor when the iterator is
closed or interrupted.
"""

import json
import os
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from accel.machine.streamed import Streamed
from accel.measure.programs.reporting import MARK
from accel.model.dataclass import dataclass, field

PROGRAMS: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
QUIET_SECONDS: Final = 30.0  # between two steps, and before the first
_PATIENCE: Final = 4.0  # multiple of a step's declared time
_SLACK_SECONDS: Final = 15.0  # added to it: for a busy machine and a first compilation
_MOST_BYTES: Final = 8 << 20  # per stream
_MOST_LINE: Final = 1 << 20
_LAST_LINES: Final = 12

# The working folder is removed from sys.path: a file there with a library's name must not be measured. The programs are
# a package with a name that no library has, so that they find each other and shadow nothing.
_BOOT: Final = """
import sys
sys.path[:] = [path for path in sys.path if path]
sys.dont_write_bytecode = True
import importlib, importlib.util, json
places, name, given = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
made = importlib.util.spec_from_file_location(
    "accel_programs", places[0] + "/__init__.py", submodule_search_locations=places
)
package = sys.modules["accel_programs"] = importlib.util.module_from_spec(made)
made.loader.exec_module(package)
reporting = importlib.import_module("accel_programs.reporting")
reporting.take_stdout()
importlib.import_module("accel_programs." + name).main(json.loads(given))
reporting.tell(done=True)
"""

How = Literal["hung", "deadline", "ended", "flooded", "not-started"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Began:
    """A step started. seconds: its declared duration; more: what else the program said about it."""

    step: str
    seconds: float
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A step ended. error: {"kind", "text", "at"} of an exception; unavailable: why the step does not apply here."""

    step: str
    seconds: float
    result: Mapping[str, Any]
    error: Mapping[str, str] | None = None
    unavailable: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Nothing new for a moment. step: the current one, running for `seconds` so far; None between steps."""

    step: str | None
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """The program did not finish.

    step        the one that was running; None between steps
    seconds     since it started
    how         "hung": a step took too long; "deadline": the total time was up; "ended": the process exited;
                "flooded": it printed too much; "not-started"
    ending      "SIGSEGV" or "exit 3" if it exited, the system's error message if it did not start
    last_lines  of its output, newest last
    """

    step: str | None
    seconds: float
    how: How
    ending: str | None = None
    last_lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The program finished."""


Event = Began | Ended | Waiting | Lost | Done


def events(
    program: str,
    instructions: Mapping[str, Any],
    *,
    python: str,
    environment: Mapping[str, str],
    within_seconds: float,
    tick_seconds: float = 0.25,
    folders: Sequence[str] = (),
) -> Generator[Event, None, None]:
    """Run a program; yield its events, at least one per tick. The last is Done or Lost.

    program         the name of a module of accel.measure.programs, which has main(instructions)
    within_seconds  total time limit
    folders         additional folders with programs
    """
    argv = (python, "-u", "-c", _BOOT, json.dumps([PROGRAMS, *folders]), program, json.dumps(instructions))
    try:
        command = Streamed(argv, environment)
    except (OSError, ValueError, IndexError) as error:
        yield Lost(step=None, seconds=0.0, how="not-started", ending=str(error))
        return
    with command:
        for event in _Telling(command, time.monotonic() + within_seconds, tick_seconds).events():
            if isinstance(event, Lost | Done):
                command.close()  # before yielding: the consumer may check that it ended
            yield event


class _Telling:
    """The lines of one child, as events."""

    def __init__(self, command: Streamed, deadline: float, tick_seconds: float) -> None:
        self._command = command
        self._deadline = deadline
        self._tick_seconds = tick_seconds
        self._step: str | None = None
        self._since = time.monotonic()
        self._declared: float | None = None
        self._read = {"stdout": bytearray(), "stderr": bytearray()}
        self._counts = {"stdout": 0, "stderr": 0}

    def events(self) -> Iterator[Event]:
        while self._command.is_open:
            now = time.monotonic()
            if now >= self._deadline:
                yield self._lost("deadline")
                return
            if now >= self._since + self._limit():
                yield self._lost("hung")
                return
            pieces = self._command.take(min(self._tick_seconds, self._deadline - now))
            for name, piece in pieces:
                self._read[name] += piece
                self._counts[name] += len(piece)
            if max(self._counts.values()) > _MOST_BYTES:
                yield self._lost("flooded")
                return
            for event in self._lines():
                yield event
                if isinstance(event, Done):
                    return
            if not pieces:
                yield Waiting(step=self._step, seconds=time.monotonic() - self._since)
            self._forget()
        yield self._lost("ended", self._command.ending())

    def _limit(self) -> float:
        return QUIET_SECONDS if self._declared is None else _PATIENCE * self._declared + _SLACK_SECONDS

    def _lines(self) -> Iterator[Event]:
        heard = self._read["stdout"]
        while (end := heard.find(b"\n")) >= 0:
            line = bytes(heard[:end]).decode("utf-8", "replace")
            del heard[: end + 1]
            told = _document(line)
            event = None if told is None else self._event(told)
            if event is not None:
                yield event

    def _event(self, told: Mapping[str, Any]) -> Event | None:
        now = time.monotonic()
        if told.get("done") is True:
            return Done()
        seconds = told.get("seconds")
        seconds = float(seconds) if isinstance(seconds, int | float) and 0 <= seconds < 1e9 else 0.0
        if isinstance(name := told.get("begin"), str):
            self._step, self._since, self._declared = name, now, seconds
            more = {key: value for key, value in told.items() if key not in ("begin", "seconds")}
            return Began(step=name, seconds=seconds, more=more)
        if isinstance(name := told.get("end"), str):
            self._step, self._since, self._declared = None, now, None
            result, error, unavailable = (told.get(key) for key in ("result", "error", "unavailable"))
            return Ended(
                step=name,
                seconds=seconds,
                result=result if isinstance(result, dict) else {},
                error={str(k): str(v) for k, v in error.items()} if isinstance(error, dict) else None,
                unavailable=unavailable if isinstance(unavailable, str) else None,
            )
        return None

    def _forget(self) -> None:
        """Keep only the part of each stream that a final line without a line end may still need."""
        for heard in self._read.values():
            if len(heard) > _MOST_LINE:
                del heard[:-_MOST_LINE]

    def _lost(self, how: How, ending: str | None = None) -> Lost:
        said = self._read["stderr"].decode("utf-8", "replace").splitlines()
        lines = [line.rstrip()[:400] for line in said if line.strip()]
        return Lost(
            step=self._step,
            seconds=time.monotonic() - self._since,
            how=how,
            ending=ending,
            last_lines=tuple(lines[-_LAST_LINES:]),
        )


def _document(line: str) -> dict[str, Any] | None:
    """Parse the document of a marked line; None for any other line."""
    before, mark, text = line.partition(MARK)
    if not mark or before.strip():
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def sentence(lost: Lost) -> str:
    """Return how a program was lost, without advice."""
    where = (
        f"in the step {lost.step}" if lost.step else "before its first step" if not lost.last_lines else "between steps"
    )
    said = f" Its last line: {lost.last_lines[-1]}" if lost.last_lines else ""
    if lost.how == "hung":
        return f"It did not return {where} within {lost.seconds:.0f} s and was killed.{said}"
    if lost.how == "deadline":
        return f"The time was over {where}; it was ended."
    if lost.how == "flooded":
        return f"It printed without end {where} and was ended."
    if lost.how == "not-started":
        return f"The Python could not be started: {lost.ending}."
    ending = lost.ending or "unknown"
    killed = f"was ended by {ending}" if ending.startswith(("SIG", "signal")) else f"left with {ending}"
    return f"The process {killed} {where}.{said}"
