import re
from collections.abc import Iterable
from typing import Final

from accel.facts.containers import CONTAINER, in_container
from accel.resolver.system_tools import kernel_option, newer_kernel
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, applies, check, quoted

_XE_ALONE: Final = ("xe2_hpg", "xe2_lpg")


@check(
    code="IN001",
    name="intel-gpu-without-driver",
    layer="driver",
    severity="warning",
    family="driver-not-loaded",
    reads=(
        *("intel-gpu-no-driver", "intel-driver-refuses-gpu", "dri-missing", "intel-named", *CONTAINER),
        *("xpu-not-found", "intel-driver-unbound-said"),
    ),
    needs=("intel.devices",),
)
def intel_gpu_without_driver(facts: Facts, specs: Specs) -> Problems:
    """An Intel GPU is on the PCI bus, but neither i915 nor xe drives it.

    Why it matters   It has no render node, so no program can use it.
    What to do       Use a kernel that supports this GPU, or force the driver for its ID, and find out why it failed.
    Looks at         the running kernel and the first one for this generation, where no program finds the GPU; Intel
                     display devices on the bus without a driver; the driver's refusal in the kernel log; a missing
                     /dev/dri in a text that names an Intel GPU or its driver
    Silent when      each has a driver, or is given to a virtual machine; in a container; there is another vendor's GPU
    Source           Linux: drivers/gpu/drm/i915, drivers/gpu/drm/xe, parameter force_probe
    """
    applies(not facts.on_wsl, "WSL gives programs the GPU by /dev/dxg, without a driver of Linux's own")
    events, refused = facts.stated("intel-gpu-no-driver"), facts.stated("intel-driver-refuses-gpu")
    absent = tuple(f for f in facts.stated("dri-missing") if f.scope != "container")
    told = (*refused, *absent, *facts.stated("intel-driver-unbound-said", "xpu-not-found"))
    if told and (old := _of_old_kernel(facts, specs, told)):
        yield old
        return
    if refused or (absent and _of_intel(facts) and (not in_container(facts) or _by_engine(absent))):
        yield _told(facts, specs, refused, absent)
        return
    applies(not facts.host.containerized, "a container uses the host's driver")
    if not events:
        return
    ids = [d.pci_id.partition(":")[2] for d in facts.of("intel") if d.pci_id and d.id in {e.device for e in events}]
    yield Problem(
        title=f"No driver is bound to {len(events)} Intel GPU{'s' if len(events) > 1 else ''}",
        devices=tuple(event.device for event in events if event.device),
        evidence=quoted(events),
        remedies=(
            Remedy(
                text="Check why the driver gave up.",
                command="sudo dmesg | grep -i -E 'i915|xe '",
                action="admin",
                kind="look",
            ),
            Remedy(
                text="Load it for this device, if the kernel only has experimental support for it: kernel option "
                f"xe.force_probe={ids[0] if ids else 'ID'}, then reboot.",
                command=kernel_option("xe.force_probe", ids[0], facts, specs) if ids else None,
                action="admin",
            ),
        ),
    )


def _of_intel(facts: Facts) -> bool:
    return bool(facts.stated("intel-named")) and all(d.backend == "intel" for d in facts.accelerators)


def _by_engine(absent: Iterable[Fact]) -> bool:
    """Return whether the container engine reports it, which looks for the node on the host."""
    return any("custom device" in fact.text for fact in absent)


def _of_old_kernel(facts: Facts, specs: Specs, told: tuple[Fact, ...]) -> Problem | None:
    """Return the problem of a kernel from before this generation of GPUs; None if it is new enough, or not known."""
    for name, chip in ((d.name, c) for d in facts.of("intel") if d.name for c in specs.find(d.name, vendor="intel")):
        then = ". The module xe drives it; i915 and its backport do not" if chip.architecture in _XE_ALONE else ""
        if (newer := newer_kernel(facts, specs, (chip.architecture,), then)) is not None:
            return Problem(
                title=f"Linux {facts.host.kernel} has no driver for the {name}",
                evidence=quoted(told[:3]),
                remedies=(newer,),
                severity="error",
            )
    return None


def _option(refused: tuple[Fact, ...]) -> str:
    """Return the kernel option that the driver's own message names."""
    return "xe.force_probe" if any("xe.force_probe" in fact.text for fact in refused) else "i915.force_probe"


def _told(facts: Facts, specs: Specs, refused: tuple[Fact, ...], absent: tuple[Fact, ...]) -> Problem:
    """Return the problem stated in a text: the kernel driver's message, or a missing node."""
    known = next((value for fact in refused if (value := fact.value("id"))), None)
    known = known if known and re.fullmatch("[0-9a-fA-F]{4}", known) else None
    force = Remedy(
        text="If you cannot use a newer kernel: make the driver bind to the GPU anyway, with the option that its "
        "message names, then reboot.",
        command=kernel_option(_option(refused), known, facts, specs) if known else None,
        action="admin",
    )
    chip = specs.chip(pci_id=f"8086:{known.lower()}") if known else None
    newer = newer_kernel(facts, specs, (chip.architecture,) if chip else ()) or Remedy(
        text="Use a kernel that supports this GPU (Arc A: 6.2, Meteor Lake: 6.7, Arc B: 6.12 or newer), with its "
        "firmware.",
        command="uname -r; ls /lib/firmware/i915 /lib/firmware/xe",
        action="admin",
    )
    look = Remedy(
        text="Check whether a driver is bound to the GPU, and why it gave up. In a virtual machine: pass the GPU "
        "itself through; the module alone creates no device node.",
        command="lspci -nnk -d 8086::0300; sudo dmesg | grep -i -E 'i915|xe '",
        action="admin",
    )
    return Problem(
        title="The kernel driver does not bind to this Intel GPU"
        if refused
        else "There is no /dev/dri: no driver is bound to the Intel GPU",
        evidence=quoted((*refused, *absent)),
        remedies=(newer, force) if refused else (look, newer),
        severity="error",
    )
