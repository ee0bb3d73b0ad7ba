"""The words that every rendering of a diagnosis shares."""

from collections.abc import Sequence
from typing import Final

from accel.model.device import Device
from accel.model.diagnosis import Action, Diagnosis, Evidence, of_the_program
from accel.model.grade import Grade
from accel.render.units import plural

WHO: Final[dict[Action, str]] = {
    "app": "in the program",
    "env": "in the environment",
    "admin": "as administrator",
    "reset": "resets the device",
    "reboot": "needs a reboot",
    "service": "needs service or replacement",
}


SURENESS: Final[dict[Grade, str]] = {
    "said": "rests on what somebody wrote, not on what a tool printed",
    "implied": "concluded from other facts, not stated by any",
}


def place(evidence: Evidence) -> str:
    """Return where a fact was read, for the end of its line; "" where that is not known."""
    parts = [evidence.source or "", f"line {evidence.line}" if evidence.line is not None else ""]
    where = ", ".join(part for part in parts if part)
    return f"  ({where})" if where else ""


def device_summary(devices: Sequence[Device]) -> str:
    """Return "8 × NVIDIA H100 80GB HBM3", of whole accelerators alone."""
    counts: dict[str, int] = {}
    for device in devices:
        if device.kind != "cpu" and device.parent is None:
            name = device.name or f"{device.vendor} device"
            counts[name] = counts.get(name, 0) + 1
    if not counts:
        return "no accelerator seen"
    return ", ".join(f"{count} × {name}" for name, count in counts.items())


def outcome(diagnosis: Diagnosis) -> str:
    """Return "1 error, 2 warnings", or that no fault was found and how much that is worth."""
    counts = {s: sum(f.severity == s for f in diagnosis.findings) for s in ("error", "warning")}
    none = (
        "No fault found" if diagnosis.verdict == "clear" else "No fault found, but too little is known to rule one out"
    )
    if diagnosis.verdict == "undecided" and diagnosis.unexplained:
        none = "Undecided: an error is there that no finding explains"
    elif diagnosis.verdict == "undecided" and diagnosis.between:
        none = "Undecided: an error is there that has several causes"
    elif diagnosis.verdict == "undecided" and of_the_program(diagnosis.findings):
        none = "The error is the program's own; of the machine too little is told to say more"
    return ", ".join(plural(n, noun) for noun, n in counts.items() if n) or none
