"""Calls to a vendor's tool: from the first place that has it, and why a call listed nothing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.model.device import Gap
from accel.model.observation import Noted
from accel.model.report import Report

if TYPE_CHECKING:
    from accel.machine.process import CommandResult
    from accel.machine.protocol import Machine

HUNG_BEFORE: Final = "it hung or crashed before"  # why a call is skipped


def answer(machine: "Machine", names: Sequence[str], arguments: Sequence[str], seconds: float) -> "CommandResult":
    """Run the first of these names that exists, with a deadline; the last result is `missing` if none does."""
    result = machine.run((names[0], *arguments), seconds)
    for name in names[1:]:
        if not result.missing:
            break
        result = machine.run((name, *arguments), seconds)
    return result


def why_nothing(name: str, result: "CommandResult", hint: str = "") -> str:
    """Return why the tool listed nothing, or not everything. hint: where to get it."""
    if result.missing:
        return f"{name} is not installed, or not mounted into this container{f': {hint}' if hint else ''}"
    if result.timed_out:
        return f"{name} gave no answer in {result.seconds:.0f} s and was killed; see  dmesg"
    return f"{name} exited with {result.exit_code}: {printed(result) or 'nothing'}"


def printed(result: "CommandResult") -> str:
    """Return the beginning of what a call printed, on one line."""
    said = "".join(c if c.isprintable() else " " for c in f"{result.stdout} {result.stderr}")
    return " ".join(said.split())[:160]


def failed(backend: str, call: str, reason: str, *seen: Noted) -> Report:
    """Return the report of a call that listed no devices."""
    gap = Gap(fact="devices", reason=reason, backend=backend, source=call)
    return Report(backend=backend, source=call, status="failed", trust=60, observations=seen, gaps=(gap,))
