"""A Jetson has no memory in one piece for a buffer of the GPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV132",
    name="jetson-memory-exhausted",
    layer="access",
    reads=("nvmap-failed", "driver-out-of-memory", "shared-memory-machine"),
    needs=("run.program",),
)
def jetson_memory_exhausted(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The memory manager of a Jetson (NvMap) could not give a buffer: the shared memory is used up or in pieces.

    Why it matters   CPU and GPU share one memory there; swap does not serve the GPU, and free memory in pieces does not
                     either.
    What to do       Free memory (desktop, caches, other programs), reboot if it is in pieces, take a smaller model.
    Looks at         errors of NvMapMemAllocInternalTagged and NvMapMemHandleAlloc; NV_ERR_NO_MEMORY of the driver on a
                     machine whose CPU and GPU share their memory (GB10, GH200 boards apart)
    Silent when      only CUDA says that memory is out
    Source           Jetson Linux developer guide: memory; errno 12
    """
    failed = facts.stated("nvmap-failed")
    shared = facts.stated("shared-memory-machine")
    whose = "The Jetson's memory"
    if not failed and shared:
        failed, whose = facts.stated("driver-out-of-memory"), "This machine's memory"
    if not failed:
        return
    yield Problem(
        title=f"{whose}, which CPU and GPU share, is used up or in pieces",
        evidence=quoted(failed[:3]),
        remedies=(
            Remedy(
                text="See what is free, and give back what the kernel caches.",
                command="free -m; sudo sh -c 'sync; echo 3 > /proc/sys/vm/drop_caches'",
                action="admin",
            ),
            Remedy(
                text="Boot without the desktop; a reboot also joins memory that is in pieces.",
                command="sudo systemctl set-default multi-user.target && sudo reboot",
                action="reboot",
            ),
            Remedy(text="Or take a smaller model, quantisation, batch or context.", action="app"),
        ),
    )
