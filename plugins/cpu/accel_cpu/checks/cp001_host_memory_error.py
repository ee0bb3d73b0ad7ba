"""The machine's own memory has errors that could not be corrected."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, Remedy, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="CP001",
    name="host-memory-error",
    layer="hardware",
    reads=("host-memory-error", "host-memory-killed"),
    needs=("accelerators", "source.kernel log"),
)
def host_memory_error(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The kernel counts errors of the machine's memory that its check bits found and could not correct.

    Why it matters   A program that used the memory was killed, or got wrong data; the next one may too, and it looks
                     like a fault of the framework or of the accelerator.
    What to do       Read which module it is; take the page or the module out of use, and have it replaced.
    Looks at         EDAC: ue_count of each memory controller; "EDAC MC0: 1 UE …" and
                     "Memory failure: … Sending SIGBUS" in the kernel's log
    Silent when      none is counted, or the machine has no memory that checks itself
    Source           Linux Documentation/admin-guide/RAS; drivers/edac/edac_mc.c; mm/memory-failure.c
    """
    events = facts.stated("host-memory-error", "host-memory-killed")
    if not events:
        return
    places = list(dict.fromkeys(place for event in events if (place := event.value("place"))))
    yield Problem(
        title="The machine's memory has errors that were not corrected"
        + (f": {', '.join(places[:3])}" if places else ""),
        devices=tuple(device.id for device in facts.of("cpu")),
        evidence=quoted(events),
        remedies=(
            Remedy(
                text="See which module it is and since when; then have it replaced.",
                command="grep . /sys/devices/system/edac/mc/mc*/*/dimm_*; sudo dmesg | grep -E 'EDAC|Memory failure'",
                action="admin",
            ),
        ),
    )
