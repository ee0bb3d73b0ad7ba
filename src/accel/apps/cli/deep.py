"""Runs --deep, with one line on stderr for each step."""

import sys
from typing import TYPE_CHECKING

from accel.apps.cli.output import ProgressLine
from accel.apps.deep import with_frameworks_tried

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.measure.deep.running import Progress, Step
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry

_OUTCOMES = {"right": "right", "raised": "raised", "unavailable": "not here", "not-run": "not run", "hung": "hung"}


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
        return with_frameworks_tried(snapshot, machine, registry, show, deadline_seconds)
    finally:
        line.clear()


def _told(step: "Step") -> str:
    on = " and ".join(dict.fromkeys(name for name in (step.device, step.other) if name))
    what = f"{step.framework}: {step.step}{f' on {on}' if on else ''}"
    if step.outcome in ("right", "hung"):
        return f"{what}: {step.outcome}, {step.seconds:.1f} s"
    why = step.exception or step.ending or step.says or ""
    return f"{what}: {_OUTCOMES.get(step.outcome, step.outcome)}{f' ({why[:80]})' if why else ''}"
