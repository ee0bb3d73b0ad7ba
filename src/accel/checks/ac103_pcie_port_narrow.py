from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.facts.wiring import Hop, device_ids, named, worn
from accel.model.wiring import PciFunction
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, check
from accel.vendors.contract.command import command_line, pci_word

_GENERATIONS: Final = {2.5: 1, 5.0: 2, 8.0: 3, 16.0: 4, 32.0: 5, 64.0: 6}


@check(
    code="AC103",
    name="pcie-port-narrow",
    layer="hardware",
    severity="warning",
    family="pcie-link-degraded",
    needs=("wiring.functions",),
)
def pcie_port_narrow(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A PCIe link between the root and an accelerator or RDMA card has fewer lanes than both its ends support.

    Why it matters   Everything below the port shares the remaining bandwidth: copies to and from every device there are
                     slower.
    What to do       Reseat the board or riser below that port; check the slot, the cable and the firmware's
                     bifurcation.
    Looks at         each link up to the root: its current lanes, and the maximum of both ends; between two ports also
                     the speed
    Silent when      it is a laptop or a virtual machine; the ends do not report it; a device's own link is slow, which
                     saves power. Information only if the same model is as narrow in each of its slots
    Source           Linux: Documentation/ABI/testing/sysfs-bus-pci
    """
    if any("laptop" in (device.name or "").lower() for device in facts.accelerators):
        return
    for hop, below in worn(facts).items():
        own = len(below) == 1 and hop.below == below[0].address
        names = named(facts, below)
        yield Problem(
            severity="info" if own and _alike(hop, below[0], facts) else None,
            title=f"The PCIe link below port {hop.port} runs at {_link(hop)}; it can do {_best(hop)}",
            detail=f"Below it: {', '.join(names)}." if names else None,
            devices=device_ids(facts, below),
            evidence=(
                Evidence(fact="lanes", value=f"{hop.port} to {hop.below}: {hop.width} of {hop.width_maximum}"),
                Evidence(fact="GT/s", value=f"{hop.port} to {hop.below}: {hop.speed_gts} of {hop.speed_maximum_gts}"),
            ),
            remedies=_remedies(hop),
        )


def _alike(hop: Hop, function: PciFunction, facts: Facts) -> bool:
    """Return whether all devices of this model have as few lanes, so that the slots do too."""
    wiring = facts.snapshot.wiring
    like = [one for one in (wiring.functions or () if wiring else ()) if one.pci_id == function.pci_id]
    return len(like) > 1 and all(one.width == hop.width for one in like)


def _link(hop: Hop) -> str:
    return _words(hop.speed_gts, hop.width)


def _best(hop: Hop) -> str:
    return _words(hop.speed_maximum_gts, hop.width_maximum)


def _words(speed: float | None, width: int | None) -> str:
    generation = _GENERATIONS.get(speed) if speed is not None else None
    told = (f"generation {generation}" if generation else "", f"x{width}" if width else "")
    return " ".join(word for word in told if word) or "less"


def _remedies(hop: Hop) -> tuple[Remedy, ...]:
    look = command_line("sudo lspci -vv -s", pci_word(hop.port), "| grep -E 'LnkCap|LnkSta'")
    return (
        Remedy(text="Check what both ends of the link report.", command=look, action="admin", kind="look"),
        Remedy(
            text="With the power off: reseat the board, riser or cable below this port; check the slot's "
            "firmware settings (generation, bifurcation).",
            action="admin",
        ),
    )
