"""Runs every rule and returns what they found in order, and what could not be determined."""

from typing import Final, Literal

from accel.model.dataclass import dataclass
from accel.model.device import Gap
from accel.watch.advise.causes import data, devices, processor
from accel.watch.advise.look import Cause, Look, mean

Verdict = Literal["working", "causes", "undecided"]

SCHEMA: Final = "accel.advice/1"
_RULES: Final = (  # of equally costly and certain causes, the earlier one comes first
    devices.clocks_held_down,
    processor.computes_on_processor,
    devices.copies_synchronously,
    processor.memory_is_swapped,
    devices.one_is_slow,
    processor.processor_time_runs_out,
    data.shared_memory_full,
    devices.small_kernels,
    data.stops_to_write,
    processor.too_many_threads,
    data.waits_for_input,
)
_SURE: Final = {"high": 1.0, "medium": 0.6, "low": 0.3}
_UNMEASURED: Final = 0.3  # the share that is assumed for a cause with unknown cost
_WORKING: Final = 80.0  # busy, from which on nothing need be found
_LEAST_STEPS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The result.

    verdict  "working": the devices are busy and nothing was found; "causes": something was found; "undecided": they are
             idle and the cause is unknown, or it is unknown whether they are
    busy_percent, saturated_percent   average over the devices
    unknown  what could not be observed, and why
    """

    verdict: Verdict
    seconds: float
    devices: tuple[str, ...]
    pid: int | None
    busy_percent: float | None
    saturated_percent: float | None
    causes: tuple[Cause, ...]
    unknown: tuple[Gap, ...]


def advice(look: Look) -> Advice:
    """Return why the devices do less than they could, the most costly and most certain cause first."""
    found = [cause for rule in _RULES for cause in rule(look)] if len(look.steps) >= _LEAST_STEPS else []
    found.sort(key=lambda one: -_SURE[one.confidence] * (_UNMEASURED if one.share is None else one.share))
    busy = mean(busy for _, busy in look.busy)
    verdict: Verdict = "causes" if found else "working" if busy is not None and busy >= _WORKING else "undecided"
    return Advice(
        verdict=verdict,
        seconds=look.seconds,
        devices=tuple(device.id for device in look.devices),
        pid=look.program.pid if look.program is not None else None,
        busy_percent=busy,
        saturated_percent=look.mean(lambda one: one.saturated_percent),
        causes=tuple(found),
        unknown=tuple(_unknown(look)),
    )


def _unknown(look: Look) -> list[Gap]:
    """Return what the rules need but could not observe."""
    gaps = []
    if len(look.steps) < _LEAST_STEPS:
        gaps.append(Gap(fact="steps", reason=f"only {len(look.steps)} were seen: watch longer, --seconds 10"))
    if look.devices and not look.busy:
        gaps.append(Gap(fact="busy", reason="no device reports how busy it is"))
    for fact, told, of in (
        ("saturated", "no device reports how much of it is active", lambda one: one.saturated_percent),
        ("bytes over the bus", "no device reports them", lambda one: one.pcie_received_bytes_per_second),
        ("what limits the clocks", "no device reports it", lambda one: _number(one.clock_event_reasons)),
    ):
        if look.devices and look.mean(of) is None:
            gaps.append(Gap(fact=fact, reason=told))
    if look.program is None or not any(step.processes for step in look.steps):
        gaps.append(Gap(fact="processor, storage and memory", reason="no process was looked at: accel advise PID"))
        return gaps
    every = [one for step in look.steps for one in step.processes or ()]
    if all(one.read_bytes_per_second is None for one in every):
        gaps.append(Gap(fact="storage", reason="only its user and root can see what it reads and writes: use sudo"))
    if look.program.variables is None:
        gaps.append(Gap(fact="variables", reason="they are its user's and root's to see: use sudo"))
    if all(step.stalled_io is None for step in look.steps):
        gaps.append(Gap(fact="waits for storage", reason="this kernel does not tell pressure (/proc/pressure)"))
    return gaps


def _number(reasons: tuple[str, ...] | None) -> float | None:
    return None if reasons is None else float(len(reasons))
