"""Runs the steps of each framework of a Python in child processes, and keeps each outcome.

A child that crashes, hangs or prints too much costs only the current step: the rest runs in another child. A framework
that cannot be imported costs only its own steps, and the deadline ends what is left.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Final, Literal

from accel.measure import children
from accel.model.dataclass import dataclass, field, replace

Outcome = Literal["right", "wrong", "raised", "crashed", "hung", "unavailable", "not-run"]
FAILED: Final = ("wrong", "raised", "crashed", "hung")

_SURVEY_SECONDS: Final = 20.0
_MOST_LOST: Final = 4  # children per framework: whatever breaks four steps will break the next ones too
_LATE: Final = 2.0  # multiple of a step's declared time: a step that the deadline ends before it is slow, after it hung
_MARGIN_SECONDS: Final = 0.3
_COMPUTING: Final = ("matmul", "convolution", "FFT", "solver", "copy", "all-reduce")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The outcome of one step.

    step       its name for people: "matmul bf16"; device, other: the framework's names for what it ran on
    exception  the class of the exception; ending: "SIGABRT", "exit 3"; says: what is wrong, or why it did not run
    printed    the traceback, the warnings, and the child's last output lines, for the readers of texts
    """

    framework: str
    step: str
    device: str | None = None
    other: str | None = None
    outcome: Outcome
    seconds: float = 0.0
    exception: str | None = None
    ending: str | None = None
    says: str | None = None
    printed: str = ""

    @property
    def computes(self) -> bool:
        """Whether its result was compared with the correct one."""
        return self.step.startswith(_COMPUTING)


@dataclass(slots=True, kw_only=True)
class Told:
    """The results of one Python's frameworks. versions, devices: for each framework that was imported."""

    python: str
    deadline_seconds: float
    steps: list[Step] = field(default_factory=list)
    versions: dict[str, str | None] = field(default_factory=dict)
    devices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    interrupted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A step that has been running for `seconds`, or that ended. ended None: it is running."""

    framework: str
    step: str
    seconds: float
    ended: Step | None = None


Report = Callable[[Progress], None]


def run(
    python: str,
    environment: Mapping[str, str],
    *,
    within_seconds: float,
    expects: Sequence[str] = (),
    formats: Mapping[str, Sequence[str]] | None = None,
    report: Report = lambda _: None,
) -> Told:
    """Run every framework that is installed there. Ctrl-C stops it and keeps the results so far.

    expects  device types that the machine has according to other sources, in the frameworks' terms: "cuda"
    formats  in which a device computes, by the framework's name for it
    """
    told = Told(python=python, deadline_seconds=within_seconds)
    it = _Running(told, environment, time.monotonic() + within_seconds, report)
    try:
        for name in it.installed():
            it.framework(name, {"expects": list(expects), "formats": {k: list(v) for k, v in (formats or {}).items()}})
    except KeyboardInterrupt:
        told.interrupted = True
    return told


class _Running:
    def __init__(self, told: Told, environment: Mapping[str, str], until: float, report: Report) -> None:
        self._told = told
        self._environment = environment
        self._until = until
        self._report = report

    def installed(self) -> list[str]:
        """Return the frameworks that are installed, by their files; if Python cannot tell, record a failed step."""
        found: list[str] = []
        for event in self._events({"framework": None}, min(_SURVEY_SECONDS, self._left())):
            if isinstance(event, children.Ended):
                found = [str(one) for one in event.result.get("installed") or ()]
            elif isinstance(event, children.Lost):
                self._end(_lost("Python", event, {}, self._told.deadline_seconds, late=False))
        return found

    def framework(self, name: str, asked: Mapping[str, Any]) -> None:
        """Run the steps of one framework, in as many children as it takes."""
        done: list[str] = []
        broken: list[str] = []
        for _ in range(_MOST_LOST):
            if self._left() <= _MARGIN_SECONDS:
                self._end(_not_run(name, "its steps", self._told.deadline_seconds))
                return
            lost = self._child(name, {**asked, "framework": name, "skip": done, "broken": broken})
            if lost is None or lost[1] in ("import", "devices") or lost[0].outcome == "not-run":
                return
            done.append(lost[1])
            if lost[0].step == "context" and lost[0].device:
                broken.append(lost[0].device)
        self._end(
            Step(
                framework=name,
                step="the steps after these",
                outcome="not-run",
                says=f"{_MOST_LOST} of its processes were lost",
            )
        )

    def _child(self, name: str, instructions: dict[str, Any]) -> tuple[Step, str] | None:
        """Run one child; return the step in which it was lost, with its key; None if it finished."""
        more: Mapping[str, Any] = {}
        for event in self._events(instructions, self._left()):
            if isinstance(event, children.Began):
                more = {"seconds": event.seconds, **event.more}
            elif isinstance(event, children.Waiting) and event.step is not None:
                self._report(Progress(framework=name, step=_words(event.step, more), seconds=event.seconds))
            elif isinstance(event, children.Ended):
                self._heed(name, event)
                if event.step not in instructions["skip"]:  # the import, with which every child starts
                    self._end(_ended(name, event, more))
                    instructions["skip"].append(event.step)
            elif isinstance(event, children.Lost):
                late = time.monotonic() >= self._until
                step = _lost(name, event, more if event.step else {}, self._told.deadline_seconds, late=late)
                self._end(step)
                return step, event.step or "import"
        return None

    def _heed(self, name: str, event: children.Ended) -> None:
        if event.step == "import" and event.error is None:
            version = event.result.get("version")
            self._told.versions[name] = str(version)[:60] if version else None
        elif event.step == "devices":  # a step that raised lists none
            self._told.devices[name] = tuple(str(one)[:60] for one in event.result.get("devices") or ())

    def _events(self, instructions: Mapping[str, Any], within_seconds: float) -> Iterator[children.Event]:
        told = children.events(
            "deep",
            instructions,
            python=self._told.python,
            environment=self._environment,
            within_seconds=max(within_seconds, _MARGIN_SECONDS),
        )
        with closing(told) as events:
            yield from events

    def _left(self) -> float:
        return self._until - time.monotonic()

    def _end(self, step: Step) -> None:
        self._told.steps.append(step)
        self._report(Progress(framework=step.framework, step=step.step, seconds=step.seconds, ended=step))


def _words(key: str, more: Mapping[str, Any]) -> str:
    return str(more.get("what") or key)


def _base(name: str, key: str, more: Mapping[str, Any]) -> dict[str, Any]:
    device, other = more.get("device"), more.get("other")
    return {
        "framework": name,
        "step": _words(key, more),
        "device": str(device) if device else None,
        "other": str(other) if other else None,
    }


def _ended(name: str, event: children.Ended, more: Mapping[str, Any]) -> Step:
    base = Step(**_base(name, event.step, more), outcome="right", seconds=event.seconds)
    result = event.result
    if event.unavailable is not None:
        return replace(base, outcome="unavailable", says=event.unavailable)
    warned = [str(one) for one in result.get("warnings") or ()]
    if event.error is not None:
        kind, text = event.error.get("kind", "Exception"), event.error.get("text", "")
        trace = result.get("traceback")
        printed = "\n".join([*warned, trace if isinstance(trace, str) else f"{kind}: {text}"])
        return replace(base, outcome="raised", exception=kind, says=text, printed=printed)
    if wrong := result.get("wrong"):
        return replace(base, outcome="wrong", says=str(wrong))
    return replace(base, printed="\n".join(warned))


def _lost(name: str, event: children.Lost, more: Mapping[str, Any], deadline: float, *, late: bool) -> Step:
    base = Step(
        **_base(name, event.step or "start", more),
        outcome="crashed",
        seconds=event.seconds,
        ending=event.ending,
        printed="\n".join(event.last_lines),
    )
    if event.how == "hung":
        return replace(base, outcome="hung", says=f"it did not return within {event.seconds:.0f} s and was ended")
    if event.how == "deadline":
        declared = more.get("seconds")
        if not isinstance(declared, int | float) or event.seconds > _LATE * declared:
            says = f"it did not return in the {event.seconds:.0f} s that were left of the deadline of {deadline:g} s"
            return replace(base, outcome="hung", says=says)
        return _not_run(name, base.step, deadline, base)
    if event.how == "flooded":
        return replace(base, ending=None, says="it printed without end, and was ended")
    if event.how == "not-started":
        return replace(base, ending=None, says=f"the Python could not be started: {event.ending}")
    return base


def _not_run(name: str, step: str, deadline: float, base: Step | None = None) -> Step:
    says = f"the deadline of {deadline:g} s was over; give more:  --deadline"
    if base is not None:
        return replace(base, outcome="not-run", says=says, printed="")
    return Step(framework=name, step=step, outcome="not-run", says=says)


__all__ = ["FAILED", "Progress", "Report", "Step", "Told", "run"]
