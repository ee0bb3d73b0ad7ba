"""No kernel driver serves an Intel GPU."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, applies, check, quoted
from accel.resolver.system_tools import kernel_option

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="IN001",
    name="intel-gpu-without-driver",
    layer="driver",
    severity="warning",
    family="driver-not-loaded",
    reads=("intel-gpu-no-driver",),
    needs=("intel.devices",),
)
def intel_gpu_without_driver(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """An Intel GPU is on the PCI bus, and neither i915 nor xe serves it.

    Why it matters   It has no render node, and no program can use it.
    What to do       Take a kernel that knows this GPU, or force the driver for its id, and see why it gave up.
    Looks at         display devices of Intel's on the bus that have no driver
    Silent when      each has one, or is given to a virtual machine; in a container
    Source           Linux: drivers/gpu/drm/i915, drivers/gpu/drm/xe, parameter force_probe
    """
    applies(not facts.host.containerized, "a container takes its driver from the host")
    events = facts.stated("intel-gpu-no-driver")
    if not events:
        return
    ids = [d.pci_id.partition(":")[2] for d in facts.of("intel") if d.pci_id and d.id in {e.device for e in events}]
    yield Problem(
        title=f"No driver serves {len(events)} Intel GPU{'s' if len(events) > 1 else ''}",
        devices=tuple(event.device for event in events if event.device),
        evidence=quoted(events),
        remedies=(
            Remedy(text="See why the driver gave up.", command="sudo dmesg | grep -i -E 'i915|xe '", action="admin"),
            Remedy(
                text="Load it for this device, if the kernel knows it only as experimental: the kernel's option "
                f"xe.force_probe={ids[0] if ids else 'ID'}, then start the machine anew.",
                command=kernel_option("xe.force_probe", ids[0], facts, specs) if ids else None,
                action="admin",
            ),
        ),
    )
