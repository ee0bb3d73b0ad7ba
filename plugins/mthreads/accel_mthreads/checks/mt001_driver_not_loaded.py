"""Moore Threads GPUs are on the bus, and their driver is not loaded."""

from collections.abc import Iterator

from accel.contract.check import Evidence, Problem, Remedy, applies, check
from accel.facts.questions import Facts
from accel.specs import Specs
from accel_mthreads import VENDOR


@check(code="MT001", name="musa-driver-not-loaded", layer="driver", family="driver-not-loaded")
def musa_driver_not_loaded(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Moore Threads GPUs are on the bus, and their driver is not loaded.

    Why it matters   Without it there is no node /dev/mtgpu.<N>, and every program sees a machine without GPUs.
    What to do       Install the driver for this kernel, or load its module; after a kernel update it is built again.
    Looks at         the PCI bus; the nodes /dev/mtgpu.<N>
    Silent when      a node exists; no GPU is on the bus; in a container, whose nodes are given to it from outside
    Source           docs.mthreads.com, installing the driver: mtgpu.ko
    """
    applies(bool(facts.reports(VENDOR.name)), "nothing here speaks of Moore Threads")
    applies(not facts.host.containerized, "a container takes its driver from the host")
    for event in facts.events(f"{VENDOR.name}-no-node"):
        yield Problem(
            title="Moore Threads GPUs are on the PCI bus, but their driver is not loaded",
            evidence=(Evidence(fact=event.name, value=event.message, source=event.source),),
            remedies=(
                Remedy(text="Load the module", command="sudo modprobe mtgpu", action="admin"),
                Remedy(text="If there is none for this kernel, install the driver (musa) again", action="admin"),
            ),
        )
