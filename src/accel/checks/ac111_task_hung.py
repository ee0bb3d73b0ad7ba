from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.text.durations import age_text
from accel.vendors.contract.check import Problem, Remedy, check, quoted

# Kernel modules of file systems that a server answers for. Linux: fs/, net/sunrpc; Lustre, BeeGFS, IBM Storage Scale
_OF_FILES: Final = ("nfs", "sunrpc", "rpc", "ceph", "cifs", "fuse", "lustre", "ptlrpc", "beegfs", "mmfs", "gfs2", "9p")


@check(
    code="AC111",
    name="task-hung",
    layer="driver",
    severity="warning",
    reads=("task-hung",),
    needs=("accelerators", "source.kernel log"),
    requires=("process-stuck-in-driver", "device-holder-stuck"),
    explained_by=("file-server-silent", "disk-errors"),
)
def task_hung(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The kernel logged tasks that were blocked for two minutes or more.

    Why it matters   A job that reads its data or writes its checkpoint there hangs without any error, and the devices
                     wait with it.
    What to do       Find what they wait for: an unresponsive file server, a disk, a driver.
    Looks at         the kernel log of the last day: "task … blocked for more than … seconds", and the stack below
    Silent when      a finding about the accelerator's own driver explains it
    Source           Linux: kernel/hung_task.c
    """
    found = facts.stated("task-hung")
    if not found:
        return
    modules = list(dict.fromkeys(module for fact in found if (module := fact.value("module"))))
    tasks = list(dict.fromkeys(_named(fact) for fact in found))
    files = [module for module in modules if module.lower().startswith(_OF_FILES)]
    where = f", in {', '.join((files or modules)[:3])}" if modules else ""
    named = ", ".join(tasks[:3]) + (f" and {len(tasks) - 3} more" if len(tasks) > 3 else "")
    more: tuple[Remedy, ...] = ()
    if files:
        more = (
            Remedy(
                text="Check which mount's file server does not respond, and whether that server is up.",
                command="grep -E ' (nfs4?|cifs|ceph|lustre|beegfs|fuse|gpfs) ' /proc/mounts; cat /proc/pressure/io",
                action="admin",
                kind="look",
            ),
        )
    ages = [age for fact in found if (age := fact.number("ago")) is not None]
    when = f", the last {age_text(min(ages))} ago" if ages else ""
    yield Problem(
        title=f"Tasks were blocked for minutes{where}: {named}{when}",
        evidence=quoted(found),
        remedies=(
            *more,
            Remedy(
                text="Check what still waits, and for what.",
                command="ps -eo pid,stat,wchan:32,user,args | awk '$2 ~ /^D/'; sudo dmesg -T | grep -A20 'blocked for'",
                action="admin",
                kind="look",
            ),
            Remedy(
                text="If it remains blocked when its disk, file server or device responds again, reboot: such a "
                "task cannot be killed.",
                action="reboot",
            ),
        ),
    )


def _named(fact: Fact) -> str:
    """Return the task as "python (4121)"; the kernel prints python:4121."""
    task, _, number = (fact.value("task") or "").rpartition(":")
    if not (task and number.isdecimal()):
        task, number = fact.value("task") or "", fact.value("pid") or ""
    return f"{task} ({number})" if number else task
