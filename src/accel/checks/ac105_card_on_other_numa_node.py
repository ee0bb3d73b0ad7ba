from collections.abc import Iterator

from accel.facts.network import ports
from accel.facts.questions import Facts
from accel.facts.wiring import by_address
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check, need


@check(
    code="AC105",
    name="card-on-other-numa-node",
    layer="hardware",
    severity="warning",
    needs=("wiring.ports", "wiring.functions"),
    explained_by=("network-port-down",),
)
def card_on_other_numa_node(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Several RDMA network cards are up, but none is on the NUMA node of some of the accelerators.

    Why it matters   What these accelerators send to other machines crosses the shared link between the sockets: jobs on
                     several nodes are slower, and GPUDirect RDMA is not used at that distance.
    What to do       Move a card to a slot of the other socket; until then give jobs the accelerators near the cards.
    Looks at         NUMA nodes of accelerators and of cards with a port that is up
    Silent when      there is one NUMA node, or each with an accelerator has a card; in a virtual machine. Information
                     only if there are fewer cards than such nodes
    Source           NCCL user guide: NCCL_NET_GDR_LEVEL; Linux: Documentation/ABI/testing/sysfs-bus-pci, numa_node
    """
    applies(facts.host.virtualization in (None, "none"), "a virtual machine: its NUMA nodes are the hypervisor's")
    wiring = facts.snapshot.wiring
    applies(wiring is not None and len(wiring.numa_nodes) > 1, "there is only one NUMA node")
    known = by_address(wiring)
    cards = {port.card: port.pci_address for port in ports(facts) if port.is_active}
    applies(bool(cards), "no port of an RDMA card is up")
    nodes = {
        need(known[address].numa_node, f"the NUMA node of {card}")
        for card, address in cards.items()
        if address is not None and address in known
    }
    devices = [device for device in facts.accelerators if device.is_top_level and device.pci_address in known]
    applies(bool(devices), "the bus listing shows no accelerator")
    places = {one.id: need(known[one.pci_address or ""].numa_node, f"the NUMA node of {one.id}") for one in devices}
    far = tuple(device for device, node in places.items() if node not in nodes)
    if not far:
        return
    names = f"{', '.join(far[:4])}{' …' if len(far) > 4 else ''}"
    where = ", ".join(map(str, sorted(nodes)))
    yield Problem(
        severity="info" if len(cards) < len(set(places.values())) else None,
        title=f"{names}: every RDMA network card is on another NUMA node",
        devices=far,
        evidence=(
            Evidence(fact="cards", value=f"{', '.join(cards)} on NUMA node {where}"),
            Evidence(fact="devices", value=", ".join(f"{device} on {places[device]}" for device in far)),
        ),
        remedies=(
            Remedy(
                text="Move a card to a slot of that socket: check which slots are connected to it.",
                command="accel topology",
                action="admin",
            ),
            Remedy(text="Until then, start multi-node jobs on the accelerators next to the cards.", action="env"),
        ),
    )
