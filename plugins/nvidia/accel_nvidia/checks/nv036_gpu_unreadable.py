"""A GPU that does not answer: its sensors, or most of what NVML asks it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.observation import Fact
    from accel.specs import Specs

_LOOK: Final = Remedy(
    text="Reset the GPU or reboot, and look for Xid lines.",
    command="sudo dmesg -T | grep -iE 'nvrm|xid'",
    action="reset",
)


@check(
    code="NV036",
    name="gpu-unreadable",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("gpu-row-unreadable", "gpu-answers-nothing", "gpu-call-refused"),
    needs=("nvidia.devices", "source.kernel log"),
    explained_by=("gpu-lost", "gpu-xid", "gpu-lost-after-suspend"),
)
def gpu_unreadable(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """nvidia-smi prints ERR! for both the fan and the power of a GPU, or NVML's calls about it fail.

    Why it matters   The board's own controller does not answer: it often comes before, or after, losing the GPU.
    What to do       Reset the GPU or reboot; look for Xid lines in the kernel log.
    Looks at         ERR! in the table's row; on a live machine NVML's calls of a device that end in an error which is
                     no want of rights or of support: most of them (an error), or single ones (an info)
    Silent when      one of the two is read, as on boards without fans
    Source           nvidia-smi manual; NVML API: nvmlReturn_t
    """
    for fact in facts.stated("gpu-answers-nothing"):
        yield Problem(
            title=f"{fact.device} answers next to nothing: NVML's calls about it fail",
            devices=_of(fact),
            evidence=quoted((fact,)),
            remedies=(_LOOK,),
            severity="error",
        )
    for fact in facts.stated("gpu-call-refused"):
        who = fact.device or "The NVIDIA driver"
        yield Problem(
            title=f"{who} does not answer {fact.value('call')}: NVML error {fact.value('code')}",
            devices=_of(fact),
            evidence=quoted((fact,)),
            remedies=(_LOOK,),
            severity="info",
        )
    found = facts.stated("gpu-row-unreadable")
    if found:
        yield Problem(
            title="A GPU's own controller does not answer properly",
            evidence=quoted(found),
            remedies=(_LOOK,),
        )


def _of(fact: "Fact") -> tuple[str, ...]:
    return (fact.device,) if fact.device else ()
