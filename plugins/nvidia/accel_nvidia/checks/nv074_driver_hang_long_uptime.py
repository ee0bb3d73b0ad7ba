"""A driver that stops answering after months without a reboot."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV074",
    name="driver-hang-long-uptime",
    layer="driver",
    reads=("hang-after-long-uptime",),
    needs=("nvidia.driver.version",),
)
def driver_hang_long_uptime(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """nvidia-smi hangs on a machine that has been up for 66 days or more.

    Why it matters   The log holds nothing, and the hardware is suspected; a counter of the driver ran over.
    What to do       Reboot; then update the driver, or reboot the nodes before 66 days.
    Looks at         the uptime, the hang, and the branch of the driver
    Silent when      the uptime is shorter or not known, nothing hangs, or the driver is of another branch
    Source           open-gpu-kernel-modules: issue 971 (branches 570 and 580 on Blackwell)
    """
    found = facts.stated("hang-after-long-uptime")
    if found:
        days = next((days for fact in found if (days := fact.value("days"))), "many")
        yield Problem(
            title=f"The driver hangs after {days} days without a reboot",
            evidence=quoted(found),
            remedies=(
                Remedy(text="Reboot the machine: nothing less brings the driver back.", action="reboot"),
                Remedy(
                    text="Then update the driver, or plan a reboot before 66 days of uptime.",
                    command="cat /proc/driver/nvidia/version; uptime",
                    action="admin",
                ),
            ),
        )
