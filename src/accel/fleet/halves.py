"""Finds the nodes that make a collective operation fail or crawl, by bisection in parallel rounds. Pure.

A round is a set of disjoint groups of nodes that are tested at the same time. A group that fails is halved;
both halves are tested in the next round. If a group fails and both its halves pass, two nodes fail only together (a
cable, a port of a switch between them): one half is then narrowed against the other. n nodes with few faults take about
log2(n) rounds, and a fault between two nodes three times as many.
"""

from collections.abc import Generator, Mapping, Sequence
from typing import Final, Literal

from accel.model.dataclass import dataclass

Result = Literal["pass", "fail"]
Group = tuple[str, ...]
Results = Mapping[Group, Result]
Plan = Generator[tuple[Group, ...], Results, "Suspects"]

_MOST_ROUNDS: Final = 200
_MOST_EACH: Final = 16  # partners to test each of many nodes with if none has passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspects:
    """The result of the tests.

    nodes    nodes that fail with a partner that passes with others
    pairs    nodes that fail only together
    unclear  groups that failed and later passed: the fault is intermittent, or needs that many nodes
    nothing_passes  no pair passed, even with different partners: it is not a single node, and testing stopped
    rounds, tests   how many were needed
    """

    nodes: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    unclear: tuple[Group, ...] = ()
    nothing_passes: bool = False
    rounds: int = 0
    tests: int = 0


def halves(nodes: Sequence[str]) -> Plan:
    """Yield the groups of each round and receive their results; return the suspects.

    A group without a result has failed. A group of one node is tested with a partner from a group that passed:
    collectives need two.
    """
    state = State()
    everyone = tuple(dict.fromkeys(nodes))
    if len(everyone) < 2:
        return Suspects()
    first = yield from one_round(state, (everyone,))
    failing = [everyone] if first[everyone] == "fail" else []
    alone: list[str] = []
    joined: list[tuple[Group, Group]] = []
    while failing and state.rounds < _MOST_ROUNDS:
        split = [(group[: len(group) // 2], group[len(group) // 2 :]) for group in failing]
        wide = tuple(half for pair in split for half in pair if len(half) > 1)
        results = (yield from one_round(state, wide)) if wide else {}
        failing = []
        for left, right in split:
            told = {half: results.get(half) for half in (left, right)}
            single = [half[0] for half in (left, right) if len(half) == 1]
            alone += single
            bad = [half for half in (left, right) if told[half] == "fail"]
            failing += bad
            if not bad:
                joined.append((left, right))
    together: list[tuple[str, str]] = []
    found = yield from singles(state, everyone, alone, together)
    pairs, unclear = yield from _between(state, joined, frozenset(found))
    return Suspects(
        nodes=tuple(found),
        pairs=tuple(dict.fromkeys((*together, *pairs))),
        unclear=tuple(unclear),
        rounds=state.rounds,
        tests=state.tests,
    )


class State:
    """The numbers of rounds and tests, and which nodes were in a group that passed."""

    def __init__(self) -> None:
        self.rounds = self.tests = 0
        self.good: dict[str, None] = {}  # nodes of groups that passed


def one_round(state: State, groups: tuple[Group, ...]) -> Generator[tuple[Group, ...], Results, Results]:
    told = yield groups
    results: dict[Group, Result] = {group: told.get(group, "fail") for group in groups}
    state.rounds += 1
    state.tests += len(groups)
    for group in groups:
        if results.get(group) == "pass":
            state.good.update(dict.fromkeys(group))
    return results


def singles(
    state: State, order: Sequence[str], alone: list[str], together: list[tuple[str, str]]
) -> Generator[tuple[Group, ...], Results, list[str]]:
    """Test nodes that were left alone, each with a partner that passed; if there is none, test them with each other.

    order     all nodes in order: partners are taken from nearby
    together  receives pairs that fail only with each other
    """
    waiting = [node for node in dict.fromkeys(alone) if node not in state.good]
    place = {node: number for number, node in enumerate(order)}
    found: list[str] = []
    while waiting:
        good = {node for node in state.good if node in place and node not in waiting}
        if not good:
            return [*found, *(yield from each_with_each(state, waiting))]
        groups = _with_partners(waiting[: len(good)], good, order, place, {})
        results = yield from one_round(state, groups)
        bad = dict(group for group in groups if results[group] == "fail")
        waiting = waiting[len(groups) :]
        again = _with_partners(list(bad), good, order, place, bad)  # it may fail with the first alone
        results = (yield from one_round(state, again)) if again else {}
        passed = {node for node, partner in again if results[node, partner] == "pass"}
        found += [node for node in bad if node not in passed]
        together += [(node, bad[node]) for node in bad if node in passed]
    return found


def _with_partners(
    nodes: Sequence[str], good: set[str], order: Sequence[str], place: Mapping[str, int], unlike: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """Return each node with a good partner of its own from nearby, not the one in `unlike`; a node may get none.

    Nodes are near if their positions share leading binary digits, since those of a rack or switch are listed together.
    """
    free = dict.fromkeys(good)
    pairs = []
    for node in nodes:
        here = place[node]
        around = (order[here ^ step] for step in range(1, 64) if here ^ step < len(order))
        near = next((one for one in around if one in free and one != unlike.get(node)), None)
        other = near or next((one for one in free if one != unlike.get(node)), None)
        if other is not None:
            del free[other]
            pairs.append((node, other))
    return tuple(pairs)


def each_with_each(
    state: State, nodes: Sequence[str], failed: list[Group] | None = None
) -> Generator[tuple[Group, ...], Results, list[str]]:
    """Test every pair of a few nodes, in rounds of disjoint pairs; return the nodes that pass with none.

    If there are many, each is tested with sixteen others.

    failed  receives the pairs that failed
    """
    ring: list[str | None] = [*nodes, *([None] if len(nodes) % 2 else [])]
    passed: set[str] = set()
    for _ in range(min(len(ring) - 1, _MOST_EACH)):
        pairs = [(ring[n], ring[-1 - n]) for n in range(len(ring) // 2)]
        groups = tuple((one, other) for one, other in pairs if one is not None and other is not None)
        results = yield from one_round(state, groups)
        passed.update(node for group in groups if results[group] == "pass" for node in group)
        if failed is not None:
            failed += [group for group in groups if results[group] == "fail"]
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return [node for node in nodes if node not in passed]


def _between(
    state: State, joined: list[tuple[Group, Group]], known: frozenset[str]
) -> Generator[tuple[Group, ...], Results, tuple[list[tuple[str, str]], list[Group]]]:
    """Narrow halves that fail only together down to two nodes, and retest those; all such halves in parallel."""
    pairs: list[tuple[str, str]] = []
    unclear: list[Group] = []
    small = [pair for pair in joined if len(pair[0]) == len(pair[1]) == 1]
    pairs += [(left[0], right[0]) for left, right in small if not known & {*left, *right}]
    open_ones = [
        (left, right, 0) for left, right in joined if (left, right) not in small and not known & {*left, *right}
    ]
    while open_ones and state.rounds < _MOST_ROUNDS:
        asked = []
        for left, right, tried in open_ones:
            fixed, halved = (left, right) if len(right) >= len(left) else (right, left)
            part = halved[: len(halved) // 2] if tried == 0 else halved[len(halved) // 2 :]
            asked.append((fixed, halved, part, tried))
        results = yield from one_round(state, tuple((*fixed, *part) for fixed, _, part, _ in asked))
        open_ones = []
        for fixed, halved, part, tried in asked:
            if results.get((*fixed, *part)) == "fail":
                if len(fixed) == len(part) == 1:
                    pairs.append((fixed[0], part[0]))
                else:
                    open_ones.append((fixed, part, 0))
            elif tried == 0 and len(halved) > 1:
                open_ones.append((fixed, halved, 1))
            else:
                unclear.append((*fixed, *halved))
    again = tuple(dict.fromkeys(pairs))
    results = (yield from one_round(state, again)) if again else {}
    unclear += [pair for pair in again if results[pair] == "pass"]
    return [pair for pair in again if results[pair] == "fail"], unclear
