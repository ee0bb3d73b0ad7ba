from collections.abc import Iterator
from typing import Final

from accel.facts.nodes import nodes_of
from accel.facts.questions import Facts
from accel.model.observation import Noted
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, need
from accel.vendors.contract.command import command_line, name_word

_TIMES: Final = 3.0  # the median of the others
_LEAST_SECONDS: Final = 3.0  # more than that median: smaller differences may be chance
_MANY: Final = 3


@check(code="AC386", name="node-slow-to-answer", layer="hardware", severity="warning", family="nodes-unlike")
def node_slow_to_answer(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Gathering the facts of a node took three times as long as of the others, and at least a few seconds more.

    Why it matters   It precedes a hang: a slow driver, a disk, a file server, memory that swaps.
    What to do       Check on that node what waits, and which call takes long.
    Looks at         how long accel took on each node, from its saved snapshots
    Silent when      fewer than three nodes report it, or all took about as long
    Source           health checks of clusters, which time themselves (imbue-ai/cluster-health)
    """
    took = {name: seconds for name, node in nodes_of(facts).items() if (seconds := _seconds(node)) is not None}
    need(len(took) >= _MANY or None, "how long three nodes took to answer")
    from statistics import median  # imports seven modules, and few texts cover several nodes

    for name, seconds in took.items():
        usual = median(value for other, value in took.items() if other != name)
        if seconds >= _TIMES * usual and seconds >= usual + _LEAST_SECONDS:
            yield Problem(
                title=f"{name} took {seconds:.0f} seconds to gather its facts; the others {usual:.1f}",
                evidence=tuple(
                    Evidence(fact=f"seconds on {other}", value=f"{value:.1f}")
                    for other, value in list(took.items())[:8]
                ),
                remedies=(
                    Remedy(
                        text="Check which file or call takes long there, and what blocks.",
                        command=command_line("ssh", name_word(name), "accel doctor -v"),
                        action="admin",
                        kind="look",
                    ),
                    Remedy(
                        text="Until that is fixed, leave the node out of jobs that wait for all of their nodes.",
                        action="admin",
                    ),
                ),
            )


def _seconds(node: Facts) -> float | None:
    """Return how many seconds it took to gather a node's facts; None if unknown."""
    for one in node.snapshot.observations:
        if isinstance(one, Noted) and one.fact == "gathering-took":
            try:
                return float(dict(one.values).get("seconds", ""))
            except ValueError:
                return None
    return None
