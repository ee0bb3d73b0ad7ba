"""Iluvatar devices are on the PCI bus, and the driver made no node for them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, applies, check
from accel_iluvatar.signs import need_iluvatar, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="IX001", name="iluvatar-driver-not-loaded", layer="driver", family="driver-not-loaded")
def iluvatar_driver_not_loaded(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Iluvatar devices are on the PCI bus, and the driver made no node for them.

    Why it matters   Without the driver's nodes (/dev/iluvatar<N>) no program can open a device.
    What to do       Load the driver; after a new kernel it must be built again.
    Looks at         PCI ids of the machine; the nodes in /dev
    Silent when      a node is there, ixsmi lists a device, or this is a container, whose nodes come from the host
    Source           the CoreX installation guide, support.iluvatar.com
    """
    need_iluvatar(facts)
    applies(not facts.host.containerized, "a container takes its device nodes from the host")
    event = facts.event("iluvatar-no-node")
    if event is None:
        return
    yield Problem(
        title="Iluvatar devices are on the PCI bus, but their driver is not loaded",
        evidence=(quoted(event),),
        remedies=(
            Remedy(
                text="See whether the module is there and why it did not load",
                command="lsmod | grep -i iluvatar; sudo modprobe iluvatar; sudo dmesg | grep -i iluvatar",
                action="admin",
            ),
            Remedy(text="Install the driver package again, with the headers of this kernel installed", action="admin"),
        ),
    )
