from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check, need, quoted

_MOST: Final = 3  # names that are looked up


@check(
    code="AC345",
    name="devices-fewer-than-in-machine",
    layer="hardware",
    severity="warning",
    reads=("machine-type",),
    needs=("fact.machine-type.type",),
    requires=("driver-not-loaded", "gpu-hardware-fault", "gpu-init-failed", "allotment-not-visible"),
)
def devices_fewer_than_in_machine(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Fewer accelerators are visible than a machine of this type has.

    Why it matters   A device disappeared silently: jobs that need all of them fail or wait, and it still costs money.
    What to do       Check whether the bus lists it; reboot the machine, in a cloud on another host.
    Looks at         the type from the firmware's tables, a cloud's metadata or a node's labels; the table of machines;
                     the listed devices
    Silent when      at least as many are listed; the type is not in the table, or has part of a chip; in a container,
                     which may be given fewer; another check states the reason. Undecided if none of the maker's is
                     listed, and only information for a text, which may show part of the list
    Source           the names of machines: specs/computers
    """
    applies(not facts.host.containerized, "a container may be given fewer devices than its machine has")
    for fact in facts.stated("machine-type")[:_MOST]:
        machine = specs.machine(fact.value("type") or "")
        if machine is None or machine.count is None or machine.share is not None:
            continue
        vendors = {chip.vendor for name in machine.chips for chip in specs.find(name)}
        listed = [
            d for d in facts.accelerators if not vendors.isdisjoint((d.backend, d.vendor.lower())) and d.is_top_level
        ]
        need(listed or None, f"the devices of this {machine.name}")
        if len(listed) >= machine.count:
            return
        yield Problem(
            title=f"{_article(machine.name)} {machine.name} has {machine.count} × {' or '.join(machine.chips)}, "
            f"but only {len(listed)} {'is' if len(listed) == 1 else 'are'} visible",
            severity="warning" if facts.live else "info",
            evidence=(*quoted([fact]), Evidence(fact="listed", value=", ".join(device.id for device in listed))),
            remedies=(
                Remedy(
                    text="Check whether the bus lists the others, and what the kernel reports about them.",
                    command="lspci | grep -iE '3d|vga|display|processing'; sudo dmesg -T | grep -iE 'xid|aer|npu|tpu'",
                    action="admin",
                    kind="look",
                ),
                Remedy(
                    text="If it does not: reboot the machine. A cloud machine moves to another host when it is stopped "
                    "and started; report the host to the cloud provider. Have your own board replaced.",
                    action="service",
                    kind="ask",
                ),
            ),
        )
        return
    applies(False, "the machine's type is in no table")


def _article(name: str) -> str:
    return "An" if name[:1].lower() in "aeio" else "A"
