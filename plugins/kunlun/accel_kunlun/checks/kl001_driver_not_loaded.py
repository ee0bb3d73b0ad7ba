"""Kunlunxin devices are on the PCI bus, and the driver made no node for them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, applies, check
from accel_kunlun.signs import need_kunlun, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="KL001", name="kunlun-driver-not-loaded", layer="driver", family="driver-not-loaded")
def kunlun_driver_not_loaded(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Kunlunxin devices are on the PCI bus, and the driver made no node for them.

    Why it matters   Without the driver's nodes (/dev/xpu<N>, /dev/xpuctrl) no program can open a device.
    What to do       Load the driver; after a new kernel it must be built again.
    Looks at         PCI ids of the machine; the nodes in /dev
    Silent when      a node is there, xpu-smi lists a device, or this is a container, whose nodes come from the host
    Source           the XRE installation guide of Kunlunxin
    """
    need_kunlun(facts)
    applies(not facts.host.containerized, "a container takes its device nodes from the host")
    event = facts.event("kunlun-no-node")
    if event is None:
        return
    yield Problem(
        title="Kunlunxin devices are on the PCI bus, but their driver is not loaded",
        evidence=(quoted(event),),
        remedies=(
            Remedy(
                text="See whether the module is there and why it did not load",
                command="lsmod | grep -i kunlun; sudo modprobe kunlun; sudo dmesg | grep -i kunlun",
                action="admin",
            ),
            Remedy(text="Install the driver package again, with the headers of this kernel installed", action="admin"),
        ),
    )
