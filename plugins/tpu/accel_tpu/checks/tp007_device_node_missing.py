"""A chip on the PCI bus has no device node."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check
from accel_tpu.signs import need_tpu, quoted

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="TP007", name="tpu-device-node-missing", layer="access")
def device_node_missing(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A chip is on the PCI bus, and its node in /dev is not there.

    Why it matters   A container that was not given the nodes, or a machine whose driver is gone, finds no TPU.
    What to do       Give the container every node; on the host itself, recreate the machine: its image lost the driver.
    Looks at         the PCI bus against /dev/accelN and /dev/vfio/N; "No such file" of a node
    Silent when      every chip has its node; a list of the bus alone was pasted
    Source           marin-community/marin pull 3871; jax issue 13260
    """
    need_tpu(facts)
    said = facts.events("tpu-node-missing")
    chips = facts.of("tpu") if facts.live else ()  # a pasted lspci says nothing of the nodes
    bare = tuple(d.id for d in chips if d.pci_address and getattr(d, "device_path", None) is None)
    if not said and not bare:
        return
    yield Problem(
        title=f"{len(bare)} TPU chips have no device node" if bare else "The device node of a TPU chip is not there",
        devices=bare,
        evidence=quoted(said) + tuple(Evidence(fact="device_path", value=f"{device}: none") for device in bare[:4]),
        remedies=(
            Remedy(
                text="In a container: give it the nodes of the chips.",
                command="docker run --privileged IMAGE",
                action="env",
            ),
            Remedy(
                text="On the host: look for the nodes; recreate the machine if they are gone.",
                command="ls -l /dev/accel* /dev/vfio/",
                action="admin",
            ),
        ),
    )
