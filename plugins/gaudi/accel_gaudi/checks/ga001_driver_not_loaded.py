"""The kernel driver of the Gaudi cards is not loaded."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, Remedy, applies, check, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="GA001",
    name="gaudi-driver-not-loaded",
    layer="driver",
    family="driver-not-loaded",
    reads=("gaudi-no-module", "gaudi-driver-not-loaded"),
    needs=(),
)
def gaudi_driver_not_loaded(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Gaudi cards are on the PCI bus, or were asked for, and the module habanalabs is not loaded.

    Why it matters   Without the driver there is no node, and every program sees a machine without HPUs.
    What to do       Load the module; after a kernel update it must be built again, for which the headers are needed.
    Looks at         PCI ids, /sys/module/habanalabs; "habanalabs driver is not loaded or no AIPs available" of hl-smi
    Silent when      hl-smi lists a card; in a container, which takes the driver from its host
    Source           docs.habana.ai, installation guide: driver and firmware
    """
    events = facts.stated("gaudi-no-module", "gaudi-driver-not-loaded")
    applies(not (facts.live and facts.host.containerized), "a container takes its driver from the host")
    if not events or any(device.driver_version for device in facts.of("gaudi")):
        return
    yield Problem(
        title="The driver of the Gaudi cards, habanalabs, is not loaded",
        devices=tuple(device.id for device in facts.of("gaudi")),
        evidence=quoted(events),
        remedies=(
            Remedy(
                text="Load it, its network parts first.",
                command="sudo modprobe -a habanalabs_en habanalabs_cn habanalabs",
                action="admin",
            ),
            Remedy(
                text="If there is no such module for this kernel: build it again, with the headers installed.",
                command="sudo dkms autoinstall && dkms status habanalabs",
                action="admin",
            ),
        ),
    )
