"""The wording that all renderings of a diagnosis share."""

from collections.abc import Sequence
from typing import Final

from accel.apps.render.units import plural
from accel.diagnose.open_questions import failures
from accel.model.device import Device
from accel.model.diagnosis import Action, Diagnosis, Evidence, Finding, of_the_program
from accel.model.grade import Grade

WHO: Final[dict[Action, str]] = {
    "app": "in the program",
    "env": "in the environment",
    "admin": "as administrator",
    "reset": "resets the device",
    "reboot": "needs a reboot",
    "service": "needs service or replacement",
}


SHOWN: Final = "accel deep"  # start of the source of facts that frameworks reported: nothing else has those lines
NO_FAULT: Final = "No fault found"
TOO_LITTLE: Final = "Undecided: too little is known for any check"
SURENESS: Final[dict[Grade, str]] = {
    "said": "based on what somebody wrote, not on a tool's output",
    "implied": "concluded from other facts, not stated by any",
}


def place(evidence: Evidence) -> str:
    """Return where a fact was read, for the end of its line; "" if unknown."""
    shown = evidence.line is not None and not (evidence.source or "").startswith(SHOWN)
    parts = [evidence.source or "", f"line {evidence.line}" if shown else ""]
    where = ", ".join(part for part in parts if part)
    return f"  ({where})" if where else ""


def device_summary(devices: Sequence[Device]) -> str:
    """Return "8 × NVIDIA H100 80GB HBM3", counting only whole accelerators."""
    counts: dict[str, int] = {}
    for device in devices:
        if device.kind != "cpu" and device.is_top_level:
            name = device.name or f"{device.vendor} device"
            counts[name] = counts.get(name, 0) + 1
    if not counts:
        return "no accelerator found"
    return ", ".join(f"{count} × {name}" for name, count in counts.items())


def outcome(diagnosis: Diagnosis) -> str:
    """Return "1 error and 2 consequences"; without any, that no fault was found, or why that is unknown."""
    if any(finding.severity != "info" for finding in diagnosis.findings):
        return _counted(diagnosis.findings)
    lost = failures(diagnosis.gaps)
    if lost:
        names = list(dict.fromkeys(gap.device or gap.backend or gap.fact for gap in lost))
        more = f" and {len(names) - 3} more" if len(names) > 4 else ""
        return f"Undecided: {', '.join(names[:3] if more else names)}{more} could not be fully checked"
    if of_the_program(diagnosis.findings) and not (diagnosis.unexplained or diagnosis.ambiguous_causes):
        title = next(one.title for one in diagnosis.findings if one.layer == "application")
        return f"Not an accelerator fault: {title}"
    if diagnosis.verdict == "undecided" and diagnosis.ambiguous_causes:
        return "Undecided: the error has several possible causes"
    if diagnosis.verdict == "undecided" and diagnosis.unexplained:
        return "Undecided: accel cannot explain the error"
    if diagnosis.verdict == "undecided" and not (diagnosis.clear or diagnosis.findings):
        return TOO_LITTLE
    return NO_FAULT


def _counted(findings: Sequence[Finding]) -> str:
    """Return "1 error, 2 warnings and 1 consequence": what follows from another finding is counted separately."""
    faults = [one for one in findings if one.severity != "info"]
    causes = [one for one in faults if not one.explained_by] or faults
    counts = {severity: sum(one.severity == severity for one in causes) for severity in ("error", "warning")}
    found = ", ".join(plural(count, severity) for severity, count in counts.items() if count)
    consequences = len(faults) - len(causes)
    return f"{found} and {plural(consequences, 'consequence')}" if consequences else found
