"""The kernel stopped in code of NVIDIA's modules."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV130",
    name="driver-oops",
    layer="driver",
    reads=("driver-oops", "kernel-oops"),
    needs=("nvidia.devices", "source.kernel log"),
)
def driver_oops(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The kernel reports a fault (oops) whose instruction lies in NVIDIA's kernel modules.

    Why it matters   What held locks at that moment never gives them back: programs hang, and suspend or shutdown does
                     too, until the machine is rebooted.
    What to do       Reboot; take another driver release for this kernel; report the trace.
    Looks at         the address (RIP, pc) of an oops, NULL pointer dereference or general protection fault
    Silent when      the address lies in other code; a trace only passes through the driver
    Source           Linux: admin-guide/bug-hunting; NVIDIA driver README: reporting problems
    """
    at, oops = facts.stated("driver-oops"), facts.stated("kernel-oops")
    if not (at and oops):
        return
    yield Problem(
        title="The NVIDIA driver crashed in the kernel",
        evidence=quoted((*oops[:2], *at[:2])),
        remedies=(
            Remedy(text="Reboot the machine: the driver stays unusable.", command="sudo reboot", action="reboot"),
            Remedy(
                text="Then take another release of the driver for this kernel, newer first, or the former kernel.",
                command="uname -r; modinfo -F version nvidia",
                action="admin",
            ),
            Remedy(
                text="If it returns, report it with the log.",
                command="sudo nvidia-bug-report.sh",
                action="service",
                kind="ask",
            ),
        ),
    )
