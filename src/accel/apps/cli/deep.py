"""`accel doctor --deep`: runs the frameworks of an environment, with one line on stderr for each step."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.apps.cli.output import ProgressLine
from accel.machine.live import LiveMachine
from accel.measure.deep.facts import with_facts
from accel.measure.deep.running import Report, run
from accel.model.dataclass import replace
from accel.model.device import Gap

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.measure.deep.running import Progress, Step
    from accel.model.device import Device
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry


_OUTCOMES = {"right": "right", "raised": "raised", "unavailable": "not here", "not-run": "not run", "hung": "hung"}
_DEADLINE_SECONDS: Final = 300.0
_ALSO_CALLED: Final = {"cuda": "gpu", "rocm": "gpu"}  # by JAX and TensorFlow


def tried(snapshot: "Snapshot", machine: "Machine", registry: "Registry", deadline_seconds: float | None) -> "Snapshot":
    """Return the snapshot with the results of running the frameworks of its environment."""
    line = ProgressLine()

    def show(progress: "Progress") -> None:
        """Print one line per finished step; on a terminal show the current step too."""
        if progress.ended is not None:
            line.clear()
            print(f"accel: {_told(progress.ended)}", file=sys.stderr)
        else:
            line.show(f"accel: {progress.framework}: {progress.step} … {progress.seconds:.0f} s")

    try:
        return _with_results(snapshot, machine, registry, show, deadline_seconds)
    finally:
        line.clear()


def _told(step: "Step") -> str:
    on = " and ".join(dict.fromkeys(name for name in (step.device, step.other) if name))
    what = f"{step.framework}: {step.step}{f' on {on}' if on else ''}"
    if step.outcome in ("right", "hung"):
        return f"{what}: {step.outcome}, {step.seconds:.1f} s"
    why = step.exception or step.ending or step.says or ""
    return f"{what}: {_OUTCOMES.get(step.outcome, step.outcome)}{f' ({why[:80]})' if why else ''}"


def _with_results(
    snapshot: "Snapshot",
    machine: "Machine",
    registry: "Registry",
    report: Report,
    deadline_seconds: float | None = None,
) -> "Snapshot":
    """Return the snapshot with the results of each framework of its environment, run in child processes.

    report            called when a step starts, progresses and ends
    deadline_seconds  for all of them together; None: 300 seconds
    """
    python = snapshot.environments[0].python_executable if snapshot.environments else None
    reason = "no Python is known that would have a framework. Name one:  accel doctor --deep --python FOLDER"
    if not isinstance(machine, LiveMachine):
        python, reason = None, "a recorded machine runs no programs"
    if python is None:
        return replace(snapshot, gaps=(*snapshot.gaps, Gap(fact="frameworks", reason=reason, source="accel deep")))
    names = dict(_names(snapshot.devices))
    told = run(
        python,
        machine.environment,
        within_seconds=deadline_seconds or _DEADLINE_SECONDS,
        expects=sorted({name.partition(":")[0] for name in names} - {"cpu"}),
        formats={name: dtypes for name, one in names.items() if (dtypes := _formats(one))},
        report=report,
    )
    return with_facts(snapshot, told, registry, {name: one.id for name, one in names.items()})


def _names(devices: "tuple[Device, ...]") -> "Iterator[tuple[str, Device]]":
    """Yield each device visible to programs with each name that frameworks use for it."""
    for device in devices:
        if device.visible is False:
            continue
        if device.kind == "cpu":
            yield "cpu", device
            continue
        for name in device.runtime_names or ():
            kind, colon, number = name.partition(":")
            yield name, device
            if kind in _ALSO_CALLED:
                yield f"{_ALSO_CALLED[kind]}{colon}{number}", device


def _formats(device: "Device") -> tuple[str, ...]:
    """Return the formats in which the device's chip computes; () if unknown."""
    from accel.apps.sdk.chip_spec import spec

    if device.kind == "cpu":
        return ()
    known = spec(device)
    return known.dtypes if known is not None else ()
