"""Cambricon cards are on the bus, and their driver is not loaded."""

from collections.abc import Iterator

from accel.contract.check import Evidence, Problem, Remedy, applies, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_cambricon import VENDOR


@check(code="CB002", name="mlu-driver-not-loaded", layer="driver", family="driver-not-loaded")
def mlu_driver_not_loaded(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Cambricon cards are on the bus, and their driver is not loaded.

    Why it matters   Without it there is no node /dev/cambricon_dev<N>, and every program sees a machine without MLUs.
    What to do       Install the driver for this kernel, or load its module; after a kernel update it is built again.
    Looks at         the PCI bus; the nodes /dev/cambricon_dev<N>
    Silent when      a node exists; no card is on the bus; in a container, whose nodes are given to it from outside
    Source           Cambricon driver documents: cambricon-drv.ko makes the nodes
    """
    applies(bool(facts.reports(VENDOR.name)), "nothing here speaks of Cambricon")
    applies(not facts.host.containerized, "a container takes its driver from the host")
    for event in facts.events(f"{VENDOR.name}-no-node"):
        yield Problem(
            title="Cambricon cards are on the PCI bus, but their driver is not loaded",
            evidence=(Evidence(fact=event.name, value=event.message, source=event.source),),
            remedies=(
                Remedy(text="Load the module", command="sudo modprobe cambricon-drv", action="admin"),
                Remedy(text="If there is none for this kernel, install the MLU driver package again", action="admin"),
            ),
        )
