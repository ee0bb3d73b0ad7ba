"""SXid codes in the kernel log that tell of a failing NVSwitch."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.report import Event
    from accel.specs import Specs


@check(code="NV038", name="nvswitch-fault", layer="hardware", family="gpu-hardware-fault")
def nvswitch_fault(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The kernel log holds an SXid line that the NVSwitch driver calls fatal; others are a warning.

    Why it matters   A fatal one ends all jobs of the fabric; the GPUs behind that switch stay unusable until a reset.
    What to do       Reset all GPUs and switches together or reboot; service if it repeats.
    Looks at         nvidia-nvswitch: SXid lines and the word fatal in them
    Silent when      there is no such line
    Source           NVIDIA: Fabric Manager user guide, NVSwitch SXid errors
    """
    events = facts.events("sxid")
    fatal = tuple(event for event in events if _is_fatal(event))
    if not events:
        return
    code = (fatal or events)[0].value("code")
    yield Problem(
        title=f"NVSwitch error SXid {code}" + (", fatal" if fatal else ""),
        severity="error" if fatal else "warning",
        evidence=signs.quoted(fatal or events),
        remedies=(
            Remedy(
                text="Reset all GPUs and switches together; reboot if that fails.",
                command=(
                    "sudo systemctl stop nvidia-fabricmanager && sudo nvidia-smi -r && sudo systemctl "
                    "start nvidia-fabricmanager"
                ),
                action="reset",
            ),
        ),
    )


def _is_fatal(event: "Event") -> bool:
    text = event.message.lower()
    return "fatal" in text and "non-fatal" not in text
