"""A driver that starts and cannot list its GPUs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV133",
    name="gpus-not-listed",
    layer="driver",
    reads=("gpu-count-refused",),
    needs=(),
    explained_by=("gpu-lost", "gpu-xid", "driver-oops"),
)
def gpus_not_listed(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """NVML starts, and its call that counts the GPUs fails.

    Why it matters   No program finds a GPU, whatever the bus shows: the driver itself is broken, or a GPU blocks it.
    What to do       Read the kernel log; reload the module, or reboot.
    Looks at         nvmlDeviceGetCount of the live machine
    Silent when      the call answers, be it with none; it is refused without rights; it hangs (another check's)
    Source           NVML API: nvmlDeviceGetCount_v2, nvmlReturn_t
    """
    found = facts.stated("gpu-count-refused")
    if found:
        yield Problem(
            title="The NVIDIA driver cannot list its GPUs",
            evidence=quoted(found),
            remedies=(
                Remedy(
                    text="See what the driver says in the kernel log.",
                    command="sudo dmesg -T | grep -iE 'nvrm|xid' | tail -50",
                    action="admin",
                    kind="look",
                ),
                Remedy(text="End the programs that use the GPUs and reboot.", action="reboot"),
            ),
        )
