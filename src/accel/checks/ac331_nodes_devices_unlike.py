from collections import Counter
from collections.abc import Iterator

from accel.checks.nodes import said_unlike
from accel.facts.nodes import nodes_of, unlike
from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check


@check(code="AC331", name="nodes-devices-unlike", layer="hardware", severity="warning", family="nodes-unlike")
def nodes_devices_unlike(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A machine shows fewer or other devices than the others in the report.

    Why it matters   A lost, hidden or blocked device first shows as a lower count: the job waits for its rank.
    What to do       Check that machine alone: its kernel log, its bus, its masks.
    Looks at         models and numbers of the whole devices that each machine lists
    Silent when      fewer than three machines are reported, or all are equal; two saved snapshots are compared, as
                     information
    Source           the comparison of nodes in cluster health checks (Azure/azurehpc-health-checks)
    """
    remedy = Remedy(
        text="Take the deviating machine out of service until it has what similar ones have: power it off and on "
        "once, which brings back a board that fell off the bus; if that does not help, check it alone with "
        "accel doctor.",
        action="admin",
    )
    yield from said_unlike(unlike(nodes_of(facts), _devices), remedy)


def _devices(facts: Facts) -> dict[str, str]:
    counted = Counter(device.name for device in facts.accelerators if device.is_top_level and device.name)
    return {"The list of devices": ", ".join(f"{n} × {name}" for name, n in sorted(counted.items()))} if counted else {}
