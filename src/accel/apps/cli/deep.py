"""Runs --deep, with one line on stderr for each step."""

import sys
from typing import TYPE_CHECKING

from accel.apps.deep import with_frameworks_tried

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.measure.deep.running import Progress, Step
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry

_OUTCOMES = {"right": "right", "raised": "raised", "unavailable": "not here", "not-run": "not run", "hung": "hung"}


def tried(snapshot: "Snapshot", machine: "Machine", registry: "Registry", deadline_seconds: float | None) -> "Snapshot":
    """Return the snapshot with the results of running the frameworks of its environment."""
    lines = _Lines()
    try:
        return with_frameworks_tried(snapshot, machine, registry, lines.show, deadline_seconds)
    finally:
        lines.clear()


class _Lines:
    """One line per finished step; on a terminal also the current step, updated in place."""

    def __init__(self) -> None:
        self._on_terminal = sys.stderr.isatty()
        self._wide = 0

    def show(self, progress: "Progress") -> None:
        """Show the progress."""
        if progress.ended is not None:
            self.clear()
            print(f"accel: {_told(progress.ended)}", file=sys.stderr)
        elif self._on_terminal:
            text = f"accel: {progress.framework}: {progress.step} … {progress.seconds:.0f} s"[:100]
            self._raw(f"\r{text:<{self._wide}}")
            self._wide = len(text)

    def clear(self) -> None:
        """Erase the line of the current step."""
        if self._wide:
            self._raw(f"\r{'':<{self._wide}}\r")
            self._wide = 0

    def _raw(self, text: str) -> None:
        """Write with the carriage return, which the filter for printable text would remove."""
        stream = getattr(sys.stderr, "styled", sys.stderr)
        try:
            stream.write("".join(sign for sign in text if sign.isprintable() or sign == "\r"))
            stream.flush()
        except (OSError, ValueError):  # the reader is gone
            self._on_terminal = False


def _told(step: "Step") -> str:
    on = " and ".join(dict.fromkeys(name for name in (step.device, step.other) if name))
    what = f"{step.framework}: {step.step}{f' on {on}' if on else ''}"
    if step.outcome in ("right", "hung"):
        return f"{what}: {step.outcome}, {step.seconds:.1f} s"
    why = step.exception or step.ending or step.says or ""
    return f"{what}: {_OUTCOMES.get(step.outcome, step.outcome)}{f' ({why[:80]})' if why else ''}"
