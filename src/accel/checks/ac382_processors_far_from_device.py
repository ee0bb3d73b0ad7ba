from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.facts.wiring import by_address
from accel.specs import Specs
from accel.text.spans import spanned
from accel.vendors.contract.check import Evidence, Problem, Remedy, applies, check, need


@check(
    code="AC382",
    name="processors-far-from-device",
    layer="access",
    severity="warning",
    reads=("confinement",),
    needs=("wiring.functions.cpus", "fact.confinement.cpus"),
)
def processors_far_from_device(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A process may only use processors that are far from all devices visible to it.

    Why it matters   All traffic to and from the device crosses the link between the sockets; kernel launches and copies
                     are slower, and so are jobs on the other socket.
    What to do       Have the scheduler assign processors on the device's node, or give the job a device on its node.
    Looks at         the processors that the process may use; those near each device by the bus; the masks
    Silent when      one of them is near one of its devices; it may use all; there is one NUMA node. Information if only
                     some of its devices are near
    Source           Linux: proc_pid_status(5), Documentation/ABI/testing/sysfs-bus-pci, local_cpulist
    """
    wiring = facts.snapshot.wiring
    applies(wiring is not None and len(wiring.numa_nodes) > 1, "there is only one NUMA node")
    known = by_address(wiring)
    confined = facts.first("confinement")
    applies(confined is not None, "it is unknown which processors the process may use")
    may = spanned(need(confined.value("cpus") if confined is not None else None, "the processors of this process"))
    every = frozenset().union(*(spanned(node.cpus or "") for node in (wiring.numa_nodes if wiring else ())))
    applies(not every <= may, "the process may use every processor")
    devices = [d for d in facts.accelerators if d.is_top_level and d.visible is not False and d.pci_address in known]
    near = {one.id: spanned(known[one.pci_address or ""].cpus or "") for one in devices}
    placed = {device: cpus for device, cpus in near.items() if cpus and not every <= cpus}
    far = tuple(device for device, cpus in placed.items() if not cpus & may)
    if not far:
        return
    alone = len(far) < len(placed)
    yield Problem(
        severity="info" if alone else None,
        title=f"None of the processors that this process may use is close to {', '.join(far[:4])}"
        + (f" and {len(far) - 4} more" if len(far) > 4 else ""),
        devices=far,
        evidence=(
            Evidence(fact="Cpus_allowed_list", value=(confined.value("cpus") if confined is not None else None) or ""),
            *(Evidence(fact=f"near {one}", value=known_cpus) for one in far[:4] if (known_cpus := _cpus(facts, one))),
        ),
        remedies=(
            Remedy(
                text="Let the scheduler assign processors close to the device (Slurm: --gpu-bind, --cpus-per-gpu "
                "and task/affinity; Kubernetes: the topology manager, single-numa-node).",
                command="accel topology; taskset -pc $$",
                action="env",
            ),
            Remedy(text="Or start the job on a device of its processors' node.", command="accel pick", action="env"),
        ),
    )


def _cpus(facts: Facts, device: str) -> str | None:
    known = by_address(facts.snapshot.wiring)
    address = next((one.pci_address for one in facts.accelerators if one.id == device), None)
    return known[address].cpus if address is not None and address in known else None
