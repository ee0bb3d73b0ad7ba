"""What the checks make of a snapshot."""

from typing import Literal

from accel.model.device import Device, Gap
from accel.record import record

Severity = Literal["info", "warning", "error"]
Action = Literal["app", "env", "admin", "reset", "reboot", "service"]
Verdict = Literal["clear", "faults", "undecided"]


@record
class Evidence:
    """One fact that a finding rests on: what, its value as text, and where it was read."""

    fact: str
    value: str
    source: str | None = None


@record
class Remedy:
    """What to do: words, and the exact command where there is one."""

    text: str
    command: str | None = None
    action: Action = "env"


@record
class Finding:
    """A fault that a check found. devices are ids; empty when it is about the machine.

    is_cause      False for a consequence; explained_by then names the causing findings' checks
    """

    code: str
    name: str
    severity: Severity
    title: str
    detail: str | None = None
    family: str | None = None
    layer: str = "framework"
    devices: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    is_cause: bool = True
    explained_by: tuple[str, ...] = ()


@record
class Clear:
    """A check that knew all it asked for and found nothing."""

    code: str
    name: str
    layer: str


@record
class Undecided:
    """A check that could not be decided, and the facts it wants."""

    code: str
    name: str
    wants: tuple[str, ...]


@record
class Skipped:
    """A check that was not run, because a fault below it was found or it does not apply."""

    code: str
    name: str
    reason: str


@record
class Diagnosis:
    """What the checks made of a snapshot; findings are ordered: the lowest broken layer first."""

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    clear: tuple[Clear, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    devices: tuple[Device, ...] = ()
    gaps: tuple[Gap, ...] = ()
