from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check


@check(code="AC008", name="no-accelerator", layer="hardware", severity="info", needs=())
def no_accelerator(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """No GPU, NPU or TPU of a known vendor is visible on this machine.

    Why it matters   Programs run on the CPU. If the machine should have one, most other findings only follow from this.
    What to do       In a container: start it with the device. On a host: check whether the card appears on the bus.
    Looks at         the devices of every backend: PCI ids, device nodes, drivers and their libraries
    Silent when      the facts come from a text, which may simply not mention it; or a backend could not look
    Source           accel's own detection, docs/architecture.md
    """
    applies(facts.live, "a text does not have to mention the hardware")
    applies(not facts.accelerators, "there is one")
    applies(not any(report.status == "failed" for report in facts.snapshot.reports), "a backend could not check")
    looked = ("PCI ids", "device nodes", "driver libraries")
    evidence = (Evidence(fact="looked at", value=", ".join(looked)),)
    yield Problem(title="No accelerator is visible on this machine", evidence=evidence, remedies=(_remedy(facts),))


def _remedy(facts: Facts) -> Remedy:
    if facts.host.containerized:
        text = "This is a container: start it with the device (docker run --gpus all …, or the vendor's own option)."
        return Remedy(text=text, action="admin")
    text = (
        "If there should be one, check whether the bus lists it; if not, the card, its power or the BIOS is at fault."
    )
    return Remedy(text=text, command="lspci -nn | grep -iE 'vga|3d|display|accelerator'", action="admin")
