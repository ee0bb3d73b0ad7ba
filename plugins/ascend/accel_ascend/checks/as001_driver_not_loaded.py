from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, Remedy, applies, check, quoted
from accel_ascend.concern import chips

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AS001",
    name="npu-driver-not-loaded",
    layer="driver",
    family="driver-not-loaded",
    reads=("npu-no-module", "npu-no-node", "npu-node-missing", "npu-container-set-lacks"),
    needs=("ascend.driver.version",),
)
def npu_driver_not_loaded(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The machine has Ascend chips, but their kernel driver is not loaded.

    Why it matters   Without the driver there are no device nodes, and every program sees a machine without NPUs.
    What to do       Load or install the chip's driver; after a kernel update, rebuild it with the new kernel's headers.
    Looks at         PCI IDs of the machine; /proc/modules; the nodes /dev/davinci<N>, also in `ls` output
    Silent when      nothing mentions Ascend; in a container (see AS007); no chip is known to be on the bus
    Source           gitcode.com/cann/driver, installation FAQ 3 and 8
    """
    applies(facts.host.containerized is not True, "a container uses the host's driver")
    told = facts.stated("npu-no-module", "npu-no-node")
    missing = tuple(fact for fact in facts.stated("npu-node-missing") if fact.scope != "container")
    on_the_bus = [chip for chip in chips(facts) if chip.pci_address and chip.npu_id is None]
    if not told and not (missing and on_the_bus and not facts.stated("npu-container-set-lacks")):
        return
    yield Problem(
        title="No kernel module of the Ascend driver is loaded"
        if any(fact.value("piece") for fact in told) and not on_the_bus
        else "Ascend chips are on the PCI bus, but their driver is not loaded",
        detail="No module of the driver is loaded, so there is no /dev/davinci<N>.",
        evidence=quoted((*told, *missing)),
        remedies=(
            Remedy(
                text="Check whether the driver is installed and why it did not load.",
                command="dmesg | grep -i -E 'davinci|drv_|devdrv'",
                action="admin",
                kind="look",
            ),
            Remedy(
                text="Install this kernel's headers, then reinstall the driver package (HDK) for this chip.",
                command="sudo bash ./Ascend-hdk-*-npu-driver_*.run --full --install-for-all",
                action="admin",
            ),
        ),
    )
