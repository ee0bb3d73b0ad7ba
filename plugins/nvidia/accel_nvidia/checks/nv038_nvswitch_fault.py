"""SXid codes in the kernel log that tell of a failing NVSwitch."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV038",
    name="nvswitch-fault",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("sxid",),
    needs=("nvidia.devices", "source.kernel log"),
)
def nvswitch_fault(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The kernel log holds an SXid line: an error where the NVSwitch driver calls it fatal, else a warning.

    Why it matters   A fatal one ends all jobs of the fabric; the GPUs behind that switch stay unusable until a reset.
    What to do       Reset all GPUs and switches together or reboot; service if it repeats.
    Looks at         nvidia-nvswitch: SXid lines and the word fatal in them
    Silent when      there is no such line
    Source           NVIDIA: Fabric Manager user guide, NVSwitch SXid errors
    """
    found = facts.stated("sxid")
    if not found:
        return
    fatal = tuple(fact for fact in found if fact.value("fatal") == "yes")
    first = (fatal or found)[0]
    yield Problem(
        title=f"NVSwitch error SXid {first.value('code')}"
        + (", fatal" if fatal else "")
        + (f" (switch {first.value('pci')})" if first.value("pci") else ""),
        severity="error" if fatal else None,
        evidence=quoted(fatal or found),
        remedies=(
            Remedy(
                text="Reset all GPUs and switches together; reboot if that fails.",
                command=(
                    "sudo systemctl stop nvidia-fabricmanager && sudo nvidia-smi -r && sudo systemctl "
                    "start nvidia-fabricmanager"
                ),
                action="reset",
            ),
            Remedy(text="If it returns, send the board with this switch to service.", action="service"),
        ),
    )
