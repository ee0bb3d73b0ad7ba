"""The result of tests between nodes: bad nodes and their faults, pairs that fail together, untested nodes. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Final

from accel.fleet.halves import Group, Suspects
from accel.fleet.model import NodeAnswer
from accel.fleet.pairs.judging import Fault, Measured
from accel.fleet.pairs.seats import Rank
from accel.model.dataclass import dataclass, field

_SHOWN: Final = 4  # partners that are named


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTest:
    """One test: its round, its nodes, and how it ended."""

    round: int
    nodes: Group
    measured: Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class BadNode:
    """A node that failed with partners that pass with others.

    fault             how most of its tests failed
    failed, tests     how many of its pair tests failed, and how many there were; partners: those of the failed tests
    bytes_per_second  the best of its slow tests; like: what similar pairs reach
    """

    node: str
    fault: Fault
    why: str
    failed: int
    tests: int
    partners: tuple[str, ...] = ()
    bytes_per_second: float | None = None
    like: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BadPair:
    """Two nodes that fail only together."""

    nodes: tuple[str, str]
    fault: Fault
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The results. whole: False if testing was stopped; then `nodes` are those that failed all their tests.

    nothing_passes  no pair passed: the cause is something all nodes share
    unclear     groups that failed and later passed, or that fail although no two of their nodes do
    ranks       node -> its Python, torch and device
    """

    whole: bool
    nothing_passes: bool = False
    nodes: tuple[BadNode, ...] = ()
    pairs: tuple[BadPair, ...] = ()
    unclear: tuple[GroupTest, ...] = ()
    not_tested: tuple[NodeAnswer, ...] = ()
    ranks: Mapping[str, Rank] = field(default_factory=dict)
    tests: tuple[GroupTest, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def rounds(self) -> int:
        """Return how many rounds were run."""
        return max((test.round for test in self.tests), default=0)

    def pair_rates(self) -> tuple[float, float, float] | None:
        """Return the minimum, median and maximum rate of the pairs that passed, in bytes per second."""
        rates = [
            test.measured.bytes_per_second
            for test in self.tests
            if len(test.nodes) == 2 and test.measured.fault is None and test.measured.bytes_per_second is not None
        ]
        return (min(rates), median(rates), max(rates)) if rates else None


def concluded(
    suspects: Suspects | None,
    tests: Sequence[GroupTest],
    *,
    ranks: Mapping[str, Rank],
    not_tested: Iterable[NodeAnswer],
    notes: Iterable[str],
    seconds: float,
) -> Found:
    """Return the results of the tests. suspects: the plan's; None if it did not finish."""
    nodes = suspects.nodes if suspects is not None else _failing_all(tests)
    pairs = suspects.pairs if suspects is not None else ()
    unclear = {frozenset(group) for group in (suspects.unclear if suspects is not None else ())}
    failed = [test for test in tests if test.measured.fault is not None]
    return Found(
        whole=suspects is not None,
        nothing_passes=suspects is not None and suspects.nothing_passes,
        nodes=tuple(_bad_node(node, tests) for node in nodes),
        pairs=tuple(_bad_pair(pair, failed) for pair in pairs),
        unclear=tuple({frozenset(t.nodes): t for t in failed if frozenset(t.nodes) in unclear}.values()),
        not_tested=tuple(not_tested),
        ranks=dict(ranks),
        tests=tuple(tests),
        notes=tuple(dict.fromkeys(notes)),
        seconds=round(seconds, 1),
    )


def _failing_all(tests: Sequence[GroupTest]) -> tuple[str, ...]:
    """Return nodes that passed no test and failed at least two, or failed one and are blamed."""
    passed = {node for test in tests if test.measured.fault is None for node in test.nodes}
    failed = Counter(node for test in tests if test.measured.fault is not None for node in test.nodes)
    blamed = {node for test in tests for node in test.measured.blamed}
    return tuple(node for node, count in failed.items() if node not in passed and (count > 1 or node in blamed))


def _bad_node(node: str, tests: Sequence[GroupTest]) -> BadNode:
    own = [test for test in tests if node in test.nodes]
    pairs = [test for test in own if len(test.nodes) == 2] or own
    failed = [test for test in pairs if test.measured.fault is not None] or pairs
    fault: Fault = Counter(test.measured.fault or "error" for test in failed).most_common(1)[0][0]
    alike = [test.measured for test in failed if test.measured.fault == fault]
    best = max((one for one in alike), key=lambda one: (node in one.blamed, one.bytes_per_second or 0.0))
    return BadNode(
        node=node,
        fault=fault,
        why=best.why or "",
        failed=len(failed),
        tests=len(pairs),
        partners=tuple(dict.fromkeys(one for test in failed for one in test.nodes if one != node))[:_SHOWN],
        bytes_per_second=best.bytes_per_second,
        like=best.like,
    )


def _bad_pair(pair: tuple[str, str], failed: Sequence[GroupTest]) -> BadPair:
    own = [test.measured for test in failed if {*pair} <= {*test.nodes}]
    fault: Fault = (own[-1].fault if own else None) or "error"
    return BadPair(nodes=pair, fault=fault, why=(own[-1].why if own else None) or "")
