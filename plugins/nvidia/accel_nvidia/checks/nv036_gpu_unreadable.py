"""A GPU whose sensors nvidia-smi cannot read."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV036",
    name="gpu-unreadable",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("gpu-row-unreadable",),
    needs=(),
    explained_by=("gpu-lost", "gpu-xid", "gpu-lost-after-suspend"),
)
def gpu_unreadable(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """nvidia-smi prints ERR! for both the fan and the power of a GPU.

    Why it matters   The board's own controller does not answer: it often comes before, or after, losing the GPU.
    What to do       Reset the GPU or reboot; look for Xid lines in the kernel log.
    Looks at         ERR! in the table's row
    Silent when      one of the two is read, as on boards without fans
    Source           nvidia-smi manual
    """
    found = facts.stated("gpu-row-unreadable")
    if found:
        yield Problem(
            title="A GPU's own controller does not answer properly",
            evidence=quoted(found),
            remedies=(
                Remedy(
                    text="Reset the GPU or reboot, and look for Xid lines.",
                    command="sudo dmesg -T | grep -iE 'nvrm|xid'",
                    action="reset",
                ),
            ),
        )
