"""The rules' input and output."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from typing import Any, Final, Literal

from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.model.readings import Readings
from accel.model.work import Program
from accel.watch.advise.steps import ProcessStep, Step

Confidence = Literal["high", "medium", "low"]

IDLE_PERCENT: Final = 20.0  # busy, below which a device rests
WORKING_PERCENT: Final = 60.0  # from which on it works
AWAKE: Final = 0.1  # of the time: a process that computes less sleeps


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What to do about a cause. code: a line of code or a setting to copy."""

    text: str
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why a device does less than it could.

    name      "input-on-processor"
    title     the same as a sentence
    share     share of the time that it costs, 0 to 1; None if unknown
    evidence  what was observed, with figures over time
    changes   what to do, the best first
    devices   the devices concerned; () for all
    """

    name: str
    title: str
    confidence: Confidence
    share: float | None
    evidence: tuple[str, ...]
    changes: tuple[Change, ...]
    devices: tuple[str, ...] = ()


def cause(
    name: str,
    confidence: Confidence,
    share: float | None,
    evidence: Iterable[str],
    devices: tuple[str, ...] = (),
    **words: str,
) -> Cause:
    """Return a cause with its title and changes from specs/system/advice.yaml, whose {word} is one of the `words`."""
    row = advice_table()["causes"][name]

    def filled(text: str) -> str:
        for word, value in words.items():
            text = text.replace(f"{{{word}}}", value)
        return text

    return Cause(
        name=name,
        title=filled(row["title"]),
        confidence=confidence,
        share=share,
        evidence=tuple(evidence),
        changes=tuple(
            Change(text=filled(one["text"]), code=filled(one.get("code", "")) or None) for one in row["changes"]
        ),
        devices=devices,
    )


@cache
def advice_table() -> Any:
    """Return the titles of the causes, what to change, and what a kernel function says about a wait."""
    from accel.specs import load

    return load().table("system/advice")


class Look:
    """One program on its devices, step by step.

    devices   the devices that it uses
    program   what does not change about it; None if only devices were observed
    """

    def __init__(self, steps: Sequence[Step], devices: Sequence[Device], program: Program | None = None) -> None:
        self.steps = tuple(steps)
        self.devices = tuple(devices)
        self.program = program

    @property
    def seconds(self) -> float:
        """The length of the observation."""
        return sum(step.length for step in self.steps)

    @cached_property
    def busy(self) -> tuple[tuple[Step, float], ...]:
        """The steps for which device utilisation is known, each with it."""
        found = ((step, busy_of(step)) for step in self.steps)
        return tuple((step, busy) for step, busy in found if busy is not None)

    @cached_property
    def idle(self) -> tuple[Step, ...]:
        """The steps in which the devices were idle."""
        return tuple(step for step, busy in self.busy if busy < IDLE_PERCENT)

    @cached_property
    def working(self) -> tuple[Step, ...]:
        """The steps in which the devices were busy."""
        return tuple(step for step, busy in self.busy if busy >= WORKING_PERCENT)

    @property
    def idle_share(self) -> float | None:
        """The share of the time in which the devices were idle; None if unknown."""
        whole = sum(step.length for step, _ in self.busy)
        return sum(step.length for step in self.idle) / whole if whole else None

    @cached_property
    def pauses(self) -> tuple[float, ...]:
        """The length in seconds of each pause of the devices between busy times."""
        found: list[float] = []
        begun, pause = False, 0.0
        for step, busy in self.busy:
            if busy < IDLE_PERCENT:
                pause += step.length if begun else 0.0
            else:
                if begun and pause:
                    found.append(pause)
                begun, pause = True, 0.0
        return tuple(found)

    def mean(self, of: Callable[[Readings], float | None], steps: Iterable[Step] | None = None) -> float | None:
        """Return the mean of a reading over devices and steps; None if unknown."""
        asked = self.steps if steps is None else steps
        return mean(of(readings) for step in asked for readings in step.readings.values())

    def first_at_work(self, steps: Sequence[Step]) -> float | None:
        """Return the share of these steps in which the first process computed, or was ready to but got no CPU."""
        return _at_work([one for step in steps for one in step.processes or () if one.is_first])

    def others_at_work(self, steps: Sequence[Step]) -> list[float]:
        """Return the same for each other process, the busiest first, without those that were asleep."""
        every: dict[int, list[ProcessStep]] = {}
        for step in steps:
            for one in step.processes or ():
                if not one.is_first:
                    every.setdefault(one.pid, []).append(one)
        found = [share for rows in every.values() if (share := _at_work(rows)) is not None]
        return sorted((share for share in found if share >= AWAKE), reverse=True)

    def cores(self, steps: Sequence[Step]) -> float | None:
        """Return how many CPUs the program kept busy; None if unknown."""
        sums = [[one.cores for one in step.processes if one.cores is not None] for step in steps if step.processes]
        return mean(sum(each) for each in sums if each)


def busy_of(step: Step) -> float | None:
    """Return the combined utilisation of the devices; None if it is unknown for all."""
    return mean(readings.busy_percent for readings in step.readings.values())


def _at_work(rows: Sequence[ProcessStep]) -> float | None:
    used = mean(None if one.cores is None else min(1.0, one.cores) for one in rows)
    wanted = mean(None if one.running is None else min(1, one.running) for one in rows)
    known = [share for share in (used, wanted) if share is not None]
    return max(known, default=None)


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known values; None if there are none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def total(values: Iterable[float | None]) -> float | None:
    """Return the sum of the known values; None if there are none."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def percent(share: float) -> str:
    """Format 0.41 as "41 %"."""
    return f"{100 * share:.0f} %"
