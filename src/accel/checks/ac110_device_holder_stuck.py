from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import chained, command_line, number_word, path_word


@check(
    code="AC110",
    name="device-holder-stuck",
    layer="driver",
    reads=("holder-stuck", "holder-zombie"),
    needs=(),
    requires=("process-stuck-in-driver",),
)
def device_holder_stuck(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A process that has a device open is blocked in the kernel, or is a zombie.

    Why it matters   It keeps the device and its memory. A process blocked in the kernel cannot be killed, and the next
                     program that calls the driver may hang too.
    What to do       A zombie disappears when its parent exits; for a blocked one save its stack, and reboot.
    Looks at         the state of each process that holds a device, twice, a second apart; the stack if run as root
    Silent when      it ran between the two samples: waiting for a disk is no fault
    Source           Linux: proc_pid_stat(5), Documentation/filesystems/proc.rst
    """
    stuck, dead = facts.stated("holder-stuck"), facts.stated("holder-zombie")
    if stuck:
        yield Problem(
            title=f"{_who(stuck)} is stuck: it waits in the kernel{_where(stuck[0])}",
            devices=_devices(stuck),
            evidence=quoted(stuck),
            remedies=(
                Remedy(
                    text="Record where it waits, for a report.",
                    command=chained(*(_stack(fact) for fact in stuck[:4]), by=";"),
                    action="admin",
                ),
                Remedy(text="Reboot: such a process cannot be killed.", action="reboot"),
            ),
        )
    if dead:
        parent = number_word(dead[0].value("parent"))
        yield Problem(
            title=f"{_who(dead)} has ended but still holds its device: it is a zombie",
            devices=_devices(dead),
            severity="warning",
            evidence=quoted(dead),
            remedies=(
                Remedy(
                    text="Stop its parent, which then releases it.",
                    command=command_line("ps -o pid,stat,user,args -p", parent),
                    action="env",
                ),
                Remedy(text="If it remains, one of its threads waits in the kernel: reboot.", action="reboot"),
            ),
        )


def _who(found: tuple[Fact, ...]) -> str:
    first = f"{found[0].value('task') or 'A process'} ({found[0].value('pid')})"
    return first if len(found) == 1 else f"{first} and {len(found) - 1} more"


def _where(fact: Fact) -> str:
    function, module = fact.value("function"), fact.value("module")
    return f", in {function}{f' of {module}' if module else ''}" if function else ""


def _devices(found: tuple[Fact, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(fact.device for fact in found if fact.device))


def _stack(fact: Fact) -> str | None:
    pid = number_word(fact.value("pid"))
    return command_line("sudo cat", path_word(f"/proc/{pid}/stack") if pid else None)
