from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.facts.wiring import device_ids, named
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check


@check(code="AC381", name="numa-node-not-told", layer="hardware", severity="info", needs=("wiring.functions",))
def numa_node_not_told(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The machine has several NUMA nodes, and the firmware does not report an accelerator's node.

    Why it matters   Programs then assume node 0 for all: memory and threads are on the far socket for half of the
                     devices, and copies to them are slower.
    What to do       Update the firmware, or set its NUMA options as the maker recommends; until then bind manually.
    Looks at         the NUMA nodes of the machine and of each accelerator on the bus (-1: not reported)
    Silent when      there is one NUMA node, each accelerator reports its own, or it is a virtual machine
    Source           Linux: Documentation/ABI/testing/sysfs-bus-pci, numa_node
    """
    applies(facts.host.virtualization in (None, "none"), "a virtual machine: its NUMA nodes are the hypervisor's")
    wiring = facts.snapshot.wiring
    nodes = len(wiring.numa_nodes) if wiring is not None else 0
    applies(nodes > 1, "there is only one NUMA node")
    silent = [
        one
        for one in (wiring.functions or () if wiring is not None else ())
        if one.role == "accelerator" and one.numa_node is None
    ]
    if silent:
        names = named(facts, silent)
        yield Problem(
            title=f"The firmware does not report on which of {nodes} NUMA nodes {', '.join(names[:4])} "
            f"{'is' if len(names) == 1 else 'are' if len(names) <= 4 else 'and more are'}",
            devices=device_ids(facts, silent),
            evidence=(Evidence(fact="numa_node", value=f"unknown for {', '.join(one.address for one in silent[:8])}"),),
            remedies=(
                Remedy(
                    text="Check what is connected where; update the firmware, or set its NUMA options (NPS, SNC) "
                    "as the machine's manufacturer recommends.",
                    command="accel topology; lscpu | grep -i numa",
                    action="admin",
                ),
                Remedy(
                    text="Until then, bind programs to the socket manually, after testing which one is faster.",
                    command="numactl --cpunodebind=1 --membind=1 PROGRAM",
                    action="env",
                ),
            ),
        )
