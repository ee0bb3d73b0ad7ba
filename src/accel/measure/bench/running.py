"""Runs the steps of a benchmark in child processes, and keeps the results however it ends."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any, Final

from accel.machine.protocol import Machine
from accel.measure import children
from accel.measure.bench.conditions import Sample, Watching
from accel.measure.bench.plan import Step
from accel.measure.bench.records import Conditions, State
from accel.model.dataclass import dataclass, field

_SAMPLE_SECONDS: Final = 0.25
_TICK_SECONDS: Final = 0.1
_MARGIN_SECONDS: Final = 0.6  # before the deadline, for the last results
_LEAST_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a step."""

    state: State
    reason: str | None = None
    result: Mapping[str, Any] = field(default_factory=dict)
    conditions: Conditions | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a benchmark. step: the current one, for `seconds` of about `expected`; number of count."""

    step: str
    seconds: float
    expected: float
    number: int
    count: int


Report = Callable[[Progress], None]


class Run:
    """A running benchmark. outcomes: by step key; about: what each framework reported about itself."""

    def __init__(
        self,
        steps: Sequence[Step],
        *,
        python: str,
        machine: Machine,
        within_seconds: float,
        sample: Sample | None = None,
        report: Report | None = None,
        program: str = "bench",
        folders: Sequence[str] = (),
    ) -> None:
        self.steps = tuple(steps)
        self.outcomes: dict[str, Outcome] = {}
        self.about: dict[str, Mapping[str, Any]] = {}
        self.ended_by: str | None = None
        self._python = python
        self._machine = machine
        self._until = time.monotonic() + within_seconds
        self._watching = Watching(machine, sample)
        self._report = report
        self._program, self._folders = program, folders
        self._looked = 0.0
        self._running: tuple[str, float] | None = None  # the step, and its declared seconds

    def all(self) -> None:
        """Run every step. Never raises because of a program; Ctrl-C stops it and keeps the results so far."""
        try:
            for group in _groups(self.steps):
                self._group(group)
        except KeyboardInterrupt:
            self.ended_by = "interrupt"
        for step in self.steps:
            self.outcomes.setdefault(step.key, Outcome(state="not-run", reason=_NOT_RUN.get(self.ended_by or "")))

    def _group(self, group: Sequence[Step]) -> None:
        """Run the steps of one framework. After a crash or a hang the rest runs in another child."""
        left = list(group)
        while left and self.ended_by is None:
            lost = self._child(left)
            if lost is None:
                return
            if lost.how == "deadline":
                self.ended_by = "deadline"
            running = [step for step in left if step.key == lost.step]
            self._fail(running, lost)
            following = [step for step in left if step.key not in self.outcomes]
            if len(following) == len(left):  # it was lost during import or startup: the rest would fail too
                self._fail(left, lost)
                return
            left = following

    def _fail(self, steps: Sequence[Step], lost: children.Lost) -> None:
        late = lost.how == "deadline"
        said = children.sentence(lost)
        reason = f"{said} Allow more time:  --deadline" if late else self._advised(said)
        for step in steps:
            if step.key not in self.outcomes:
                self.outcomes[step.key] = Outcome(state="not-run" if late else "failed", reason=reason)

    def _child(self, steps: Sequence[Step]) -> "children.Lost | None":
        """Run one child; return how it was lost, or None if it finished."""
        by_key = {step.key: step for step in steps}
        left = max(self._until - time.monotonic(), _LEAST_SECONDS)
        instructions = {
            "framework": steps[0].framework,
            "seconds": max(left - _MARGIN_SECONDS, _LEAST_SECONDS),
            "steps": [step.row for step in steps],
        }
        told = children.events(
            self._program,
            instructions,
            python=self._python,
            environment=self._machine.environment,
            within_seconds=left,
            tick_seconds=_TICK_SECONDS,
            folders=self._folders,
        )
        with closing(told) as events:
            for event in events:
                if isinstance(event, children.Lost):
                    return event
                self._heed(event, by_key)
                if event_fails_all(event, by_key):
                    assert isinstance(event, children.Ended)
                    reason = self._advised(_error_text(event.error or {}))
                    for step in steps:
                        self.outcomes[step.key] = Outcome(state="failed", reason=reason)
                    return None
        return None

    def _heed(self, event: "children.Event", steps: Mapping[str, Step]) -> None:
        if isinstance(event, children.Began):
            self._running = event.step, event.seconds
            self._watching.begin()
            self._looked = time.monotonic() - _SAMPLE_SECONDS / 2  # soon, but not before the device is busy
        elif isinstance(event, children.Ended):
            if not self._watching.has_looked:
                self._watching.look()
            self._end(event, steps)
            self._running = None
        self._look(event)

    def _look(self, event: "children.Event") -> None:
        if self._running is None:
            return
        now = time.monotonic()
        if now - self._looked >= _SAMPLE_SECONDS:
            self._looked = now
            self._watching.look()
        if self._report is not None:
            name, expected = self._running
            seconds = event.seconds if isinstance(event, children.Waiting) else 0.0
            done = len(self.outcomes)
            self._report(
                Progress(step=name, seconds=seconds, expected=expected, number=done + 1, count=len(self.steps))
            )

    def _end(self, event: "children.Ended", steps: Mapping[str, Step]) -> None:
        step = steps.get(event.step)
        if step is None:
            if event.error is None and isinstance(event.result.get("framework"), str):
                self.about[event.result["framework"]] = event.result
            return
        seen = self._watching.end(step.device, event.result)
        if event.error is not None:
            outcome = Outcome(state="failed", reason=self._advised(_error_text(event.error)), conditions=seen)
        elif event.unavailable is not None:
            late = "time was over" in event.unavailable
            outcome = Outcome(state="not-run" if late else "unavailable", reason=event.unavailable)
        elif not _is_figure(event.result):
            outcome = Outcome(state="failed", reason="The program printed no figure. Please report this with  -v.")
        else:
            outcome = Outcome(state="measured", result=event.result, conditions=seen)
        self.outcomes[step.key] = outcome

    def _advised(self, reason: str) -> str:
        """Return the reason with advice on what to do next."""
        from accel.vendors.contract.command import command_line, path_word

        words = reason.lower()
        if "outofmemory" in words or "out of memory" in words or "resource_exhausted" in words:
            return f"{reason} Who uses the memory:  accel ps"
        doctor = command_line("accel doctor --python", path_word(self._python)) or "accel doctor --python FOLDER"
        return f"{reason} Why:  {doctor}"


_NOT_RUN: Final = {
    "interrupt": "It was interrupted before this.",
    "deadline": "The time was over. Give more:  --deadline",
}


def _groups(steps: Sequence[Step]) -> list[list[Step]]:
    """Return the steps by framework; those that need none run with the last, which saves one start."""
    names = list(dict.fromkeys(step.framework for step in steps if step.framework))
    if not names:
        return [list(steps)] if steps else []
    groups = [[step for step in steps if step.framework == name] for name in names]
    groups[-1] += [step for step in steps if step.framework is None]
    return groups


def event_fails_all(event: "children.Event", steps: Mapping[str, Step]) -> bool:
    """Return whether a step outside the plan, the import of the framework, ended with an error."""
    return isinstance(event, children.Ended) and event.step not in steps and event.error is not None


def _error_text(error: Mapping[str, str]) -> str:
    kind, text = error.get("kind") or "Exception", (error.get("text") or "").rstrip(". ")
    return f"{kind}: {text[:300]}." if text else f"{kind}."


def _is_figure(result: Mapping[str, Any]) -> bool:
    numbers = [result.get(name) for name in ("seconds", "best", "spread")]
    return all(isinstance(one, int | float) and one >= 0 for one in numbers) and bool(result.get("seconds"))
