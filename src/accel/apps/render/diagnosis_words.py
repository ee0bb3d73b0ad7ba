"""The wording that all renderings of a diagnosis share."""

from collections.abc import Sequence
from typing import Final

from accel.apps.render.units import plural
from accel.diagnose.open_questions import failures
from accel.model.device import Device
from accel.model.diagnosis import Action, Diagnosis, Evidence, of_the_program
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
    """Return "1 error, 2 warnings"; without any, that no fault was found, or why that is unknown."""
    counts = {s: sum(f.severity == s for f in diagnosis.findings) for s in ("error", "warning")}
    found = ", ".join(plural(n, noun) for noun, n in counts.items() if n)
    if found:
        return found
    lost = failures(diagnosis.gaps)
    if lost:
        names = list(dict.fromkeys(gap.device or gap.backend or gap.fact for gap in lost))
        more = f" and {len(names) - 3} more" if len(names) > 4 else ""
        return f"Undecided: {', '.join(names[:3] if more else names)}{more} could not be fully checked"
    if of_the_program(diagnosis.findings) and not (diagnosis.unexplained or diagnosis.between):
        return f"No accelerator fault. {next(one.title for one in diagnosis.findings if one.layer == 'application')}"
    if diagnosis.verdict == "undecided" and diagnosis.between:
        return "Undecided: the error has several possible causes"
    if diagnosis.verdict == "undecided" and diagnosis.unexplained:
        return "Undecided: no finding explains the error"
    if diagnosis.verdict == "undecided" and not (diagnosis.clear or diagnosis.findings):
        return TOO_LITTLE
    return NO_FAULT
