from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted
from accel.vendors.contract.command import command_line, path_word

_LEAST_BYTES: Final = 2 << 30
_LEAST_SHARE: Final = 0.05


@check(
    code="AC116",
    name="device-memory-without-owner",
    layer="access",
    severity="warning",
    family="gpu-memory-taken-by-other-process",
    reads=("memory-without-owner",),
    needs=(),
    requires=("memory-held-by-nobody-visible",),
    explained_by=("device-holder-stuck", "process-stuck-in-driver"),
)
def device_memory_without_owner(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A device's memory is in use, but belongs to no living process that its driver lists.

    Why it matters   The next job has less memory than the device has, and stops with "out of memory".
    What to do       End the remains of the job that used it; if there are none, reset the device.
    Looks at         used memory against that of the listed processes; who has the device's nodes open
    Silent when      it is less than 2 GiB or 5 % of the device; processes are not visible, as from a container
    Source           rule: the driver's process list and /proc must agree
    """
    totals = {device.id: device.memory_total_bytes for device in facts.devices}
    for fact in facts.stated("memory-without-owner"):
        size, total = fact.number("bytes"), totals.get(fact.device or "")
        if size is None or size < max(_LEAST_BYTES, int(_LEAST_SHARE * (total or 0))):
            continue
        left = bool(fact.value("pids"))
        yield Problem(
            title=f"{size / 2**30:.1f} GiB of {fact.device} are used by "
            + ("processes that its driver does not list" if left else "no visible process"),
            devices=(fact.device,) if fact.device else (),
            evidence=quoted([fact]),
            remedies=(
                Remedy(
                    text="Check which process still has the device open, and stop what is left of a job."
                    if left
                    else "Find out why; if no process is left, reset the device or reboot.",
                    command=command_line("sudo accel ps", path_word(fact.device), "--ghosts"),
                    action="env" if left else "reset",
                ),
            ),
        )
