"""The results of running frameworks, as observations and gaps of a snapshot.

framework-computed       all results computed on this device were correct         one per framework and device
framework-step-failed    a step raised, crashed, hung, or gave a wrong answer     with the lines that it printed

The output of a failed step is read like a pasted text: the errors that it names become observations too, on the same
lines.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from accel.collect.text import read_texts
from accel.measure.deep.running import FAILED, Step, Told
from accel.model.dataclass import replace
from accel.model.device import Gap
from accel.model.observation import Conflict, ErrorSeen, Missing, Noted, Observation, Raised

if TYPE_CHECKING:
    from accel.model.environment import Framework
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry

COMPUTED: Final = "framework-computed"
STEP_FAILED: Final = "framework-step-failed"
_READ: Final = (Conflict, ErrorSeen, Missing, Noted, Raised)  # observations to keep from a step's output
_MOST_SAID: Final = 1500
_MOST_TEXT: Final = 400


def source_of(framework: str) -> str:
    """Return the source of facts from a framework."""
    return f"accel deep: {framework}"


def with_facts(snapshot: "Snapshot", told: Told, registry: "Registry", ids: Mapping[str, str]) -> "Snapshot":
    """Return the snapshot with the results of the frameworks of its first environment.

    ids  the ids of devices, by the frameworks' names for them
    """
    found, gaps = _failures(snapshot, told, registry, ids)
    first, *others = snapshot.environments
    frameworks = tuple(_asked(one, told) for one in first.frameworks)
    return replace(
        snapshot,
        environments=(replace(first, frameworks=frameworks), *others),
        observations=(*snapshot.observations, *_computed(told, ids), *found),
        gaps=(*snapshot.gaps, *gaps, *_gaps(told)),
    )


def _asked(framework: "Framework", told: Told) -> "Framework":
    """Return the record of a framework's build with the devices that it listed now."""
    listed = told.devices.get(framework.name)
    if listed is None:
        return framework
    accelerated = tuple(one for one in listed if one != "cpu")
    return replace(framework, available=bool(accelerated), devices=accelerated)


def _computed(told: Told, ids: Mapping[str, str]) -> Iterator[Noted]:
    by_device: dict[tuple[str, str], list[Step]] = {}
    for step in told.steps:
        for device in {step.device, step.other} - {None}:
            by_device.setdefault((step.framework, str(device)), []).append(step)
    for (framework, device), steps in by_device.items():
        right = [one for one in steps if one.outcome == "right" and one.computes]
        if not right or any(one.outcome in FAILED for one in steps):
            continue
        version = told.versions.get(framework)
        what = ", ".join(dict.fromkeys(one.step for one in right))
        name = f"{framework} {version}" if version else framework
        yield Noted(
            fact=COMPUTED,
            text=f"{name} computed rightly on {ids.get(device, device)}: {what}"[:_MOST_TEXT],
            source=source_of(framework),
            device=ids.get(device),
            grade="measured",
            values=_values(framework=framework, version=version, place=ids.get(device, device)),
        )


def _after(snapshot: "Snapshot") -> int:
    """Return a line number after those of the kernel log, which belong to another text."""
    return 100 + max((one.last_line or one.line or 0 for one in snapshot.observations), default=0)


def _failures(
    snapshot: "Snapshot", told: Told, registry: "Registry", ids: Mapping[str, str]
) -> tuple[list[Observation], list[Gap]]:
    """Return each failed step with its lines, and what they state. Line numbers are consecutive over all of them."""
    found: list[Observation] = []
    gaps: list[Gap] = []
    line = _after(snapshot)
    for framework in dict.fromkeys(one.framework for one in told.steps):
        mine = [one for one in told.steps if one.framework == framework and (one.outcome in FAILED or one.printed)]
        lines: list[str] = []
        for step in mine:
            said = step.printed.splitlines() or [step.says or step.outcome]
            first = line + len(lines)
            if step.outcome in FAILED:
                found.append(_failed(step, told, ids, first, first + len(said) - 1))
            lines += [*said, ""]
        text = "\n".join(lines)
        if text.strip():
            read = read_texts([(source_of(framework), text)], registry)
            found += [
                _placed(one, framework, line - 1) for one in read.observations if isinstance(one, _READ) and one.line
            ]
            gaps += [gap for gap in read.gaps if gap.fact != "the whole text"]
        line += len(lines)
    return found, gaps


def _placed(one: Observation, framework: str, before: int) -> Observation:
    """Return a line's observation as current, and about this machine."""
    return replace(
        one,
        source=source_of(framework),
        line=(one.line or 0) + before,
        last_line=(one.last_line or one.line or 0) + before,
        grade="measured",
        status="present",
        why=None,
        doubt=None,
    )


def _failed(step: Step, told: Told, ids: Mapping[str, str], line: int, last_line: int) -> Noted:
    on = ids.get(step.device or "", step.device)
    return Noted(
        fact=STEP_FAILED,
        text=_sentence(step)[:_MOST_TEXT],
        source=source_of(step.framework),
        line=line,
        last_line=last_line,
        device=ids.get(step.device or ""),
        grade="measured",
        values=_values(
            framework=step.framework,
            version=told.versions.get(step.framework),
            step=step.step,
            place=on,
            called=step.device,
            other=ids.get(step.other or "", step.other),
            outcome=step.outcome,
            exception=step.exception,
            ending=step.ending,
            says=(step.says or "")[:_MOST_TEXT],
            seconds=f"{step.seconds:.1f}",
            deadline=f"{told.deadline_seconds:g}",
            python=told.python,
            said=step.printed[-_MOST_SAID:],
        ),
    )


def _sentence(step: Step) -> str:
    if step.outcome == "raised":
        return f"{step.exception}: {step.says}" if step.says else str(step.exception)
    said = (step.says or f"the process ended by {step.ending or 'itself'}").rstrip(".")
    last = step.printed.splitlines()[-1:]
    return f"{said}. Its last line: {last[0]}" if last else f"{said}."


def _values(**values: str | None) -> tuple[tuple[str, str], ...]:
    return tuple((key, value) for key, value in values.items() if value)


def _gaps(told: Told) -> Iterator[Gap]:
    """Yield what was not run, and why."""
    for step in told.steps:
        if step.outcome == "not-run":
            on = f" on {step.device}" if step.device else ""
            yield Gap(fact=f"{step.framework}: {step.step}{on}", reason=step.says or "it was not run", source="time")
    if told.interrupted:
        reason = "it was interrupted; what was shown until then is kept"
        yield Gap(fact="accel deep", reason=reason, source="time")
