"""Hygon DCUs are on the bus, and their driver is not loaded."""

from collections.abc import Iterator

from accel.contract.check import Evidence, Problem, Remedy, applies, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_hygon import VENDOR


@check(code="HY001", name="dcu-driver-not-loaded", layer="driver", family="driver-not-loaded")
def dcu_driver_not_loaded(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Hygon DCUs are on the bus, and their driver is not loaded.

    Why it matters   Without it there is no node /dev/kfd, and every program sees a machine without DCUs.
    What to do       Install the driver for this kernel, or load its module; after a kernel update it is built again.
    Looks at         the PCI bus; the nodes /dev/kfd and, for virtual DCUs, /dev/mkfd
    Silent when      a node exists; no DCU is on the bus; in a container, whose nodes are given to it from outside
    Source           Hygon driver (rock) documents: the modules hydcu, or hycu in older releases
    """
    applies(bool(facts.reports(VENDOR.name)), "nothing here speaks of Hygon DCUs")
    applies(not facts.host.containerized, "a container takes its driver from the host")
    for event in facts.events(f"{VENDOR.name}-no-node"):
        yield Problem(
            title="Hygon DCUs are on the PCI bus, but their driver is not loaded",
            evidence=(Evidence(fact=event.name, value=event.message, source=event.source),),
            remedies=(
                Remedy(text="Load the module", command="sudo modprobe hydcu || sudo modprobe hycu", action="admin"),
                Remedy(
                    text="If there is none for this kernel, install the DCU driver package (rock) again", action="admin"
                ),
            ),
        )
