"""A process that is blocked in the kernel, in NVIDIA's driver."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, path_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="NV075",
    name="process-stuck-in-driver",
    layer="driver",
    reads=("stuck-in-driver", "stuck-said"),
    needs=("nvidia.devices", "source.kernel log"),
    explained_by=("gpu-lost", "gpu-xid", "gpu-lost-after-suspend", "driver-hang-long-uptime"),
)
def process_stuck_in_driver(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A process is in uninterruptible sleep (state D) inside NVIDIA's kernel driver.

    Why it matters   It cannot be killed, holds its GPU, and every further nvidia-smi may hang as well.
    What to do       Look where it sleeps; reboot: nothing else frees it.
    Looks at         "blocked for more than 120 seconds" with its stack; the state D of ps, top and /proc
    Silent when      the stack is another driver's; a zombie (Z); no stack is printed and nothing tells of the driver
    Source           Linux: Documentation/admin-guide/sysctl/kernel, hung_task_timeout_secs
    """
    found = facts.stated("stuck-in-driver", "stuck-said")
    if found:
        task = next((fact.value("task") for fact in found if fact.value("task")), None)
        pid = next((fact.value("pid") for fact in found if fact.value("pid")), None)
        who = f"{task} ({pid})" if task and pid else task or "A process"
        yield Problem(
            title=f"{who} is blocked in the kernel, in NVIDIA's driver",
            evidence=quoted(found),
            remedies=(
                Remedy(
                    text="Reboot the machine: such a process cannot be killed. If the reboot hangs too, power it off.",
                    action="reboot",
                ),
                Remedy(
                    text="Before it see where it sleeps, for a report to the driver's maker.",
                    command=command_line("sudo cat", path_word(f"/proc/{pid or 'PID'}/stack")),
                    action="admin",
                ),
            ),
        )
