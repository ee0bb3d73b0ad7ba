"""Chooses the groups to test next. Pure; the protocol is that of `accel.fleet.halves`.

First, every two nodes at distance 1, 2, 4, … in the list, all pairs of a distance in parallel: log2(n) rounds, after
which each node was tested with log2(n) others, near and far. A node whose pair failed is tested with two other partners
at once, and is excluded if it fails with both; two nodes that pass with others are retested together. If no pair
passes, with two partners each, the cause is something all nodes share, and testing stops. Last, all remaining nodes are
tested as one group, which is bisected if it fails: this finds what hangs only in a larger group.
"""

from collections.abc import Collection, Generator, Sequence
from typing import Final

from accel.fleet.halves import Group, Plan, Results, State, Suspects, each_with_each, halves, one_round, singles

_EACH: Final = 4  # nodes up to which every two are tested
_LEAST_FAILING: Final = 3  # pairs that all fail, from which on it may be what all nodes share


def isolation(nodes: Sequence[str]) -> Plan:
    """Yield the groups of each round and receive their results; return the suspects."""
    everyone = tuple(dict.fromkeys(nodes))
    state = State()
    bad: dict[str, None] = {}
    together: dict[tuple[str, str], None] = {}
    unclear: list[Group] = []
    if len(everyone) < 2:
        return Suspects()
    if len(everyone) <= _EACH:
        failed: list[Group] = []
        if len(everyone) > 2:  # so that there is something to compare the first ones with
            yield from each_with_each(state, everyone)
        bad.update(dict.fromkeys((yield from each_with_each(state, everyone, failed))))
        together.update({(one, other): None for one, other in failed if not bad.keys() & {one, other}})
    else:
        for distance in _distances(len(everyone)):
            if distance > 1 and not state.good:
                return Suspects(nothing_passes=True, rounds=state.rounds, tests=state.tests)
            yield from _pairs(state, everyone, distance, bad, together, unclear)
    several = _of_several(together)
    bad.update(dict.fromkeys(several))
    pairs = [pair for pair in together if not bad.keys() & set(pair)]
    rest = [node for node in everyone if node not in bad and node not in {other for _, other in pairs}]
    rounds, tests = state.rounds, state.tests
    if len(rest) > 2:
        last = yield from halves(rest)
        bad.update(dict.fromkeys(last.nodes))
        pairs += last.pairs
        unclear += last.unclear
        rounds, tests = rounds + last.rounds, tests + last.tests
    return Suspects(nodes=tuple(bad), pairs=tuple(pairs), unclear=tuple(unclear), rounds=rounds, tests=tests)


def _pairs(
    state: State,
    nodes: Sequence[str],
    distance: int,
    bad: dict[str, None],
    together: dict[tuple[str, str], None],
    unclear: list[Group],
) -> Generator[tuple[Group, ...], Results, None]:
    """Test nodes in pairs at a distance, and immediately find out which node of a failed pair is bad."""
    at = [(nodes[n], nodes[n + distance]) for n in range(len(nodes) - distance) if not n & distance]
    groups = tuple(pair for pair in at if pair not in together and not bad.keys() & set(pair))
    if not groups:
        return
    results = yield from one_round(state, groups)
    failed = [group for group in groups if results[group] == "fail"]
    found_together: list[tuple[str, str]] = []
    if not state.good and len(groups) >= _LEAST_FAILING:  # with other partners, before all is taken to be bad
        others = ((nodes[n], nodes[n + 2]) for n in range(len(nodes) - 2) if not n & 2)
        yield from one_round(state, tuple(others))
        if not state.good:
            return
    left = [node for group in failed for node in group]
    bad.update(dict.fromkeys((yield from singles(state, nodes, left, found_together))))
    place = {node: number for number, node in enumerate(nodes)}
    turned = [tuple(sorted(pair, key=place.__getitem__)) for pair in (*failed, *found_together)]
    doubtful: list[Group] = [pair for pair in dict.fromkeys(turned) if not bad.keys() & set(pair)]
    while doubtful:
        again = _apart(doubtful)
        doubtful = [group for group in doubtful if group not in again]
        results = yield from one_round(state, again)
        unclear += [group for group in again if results[group] == "pass"]
        together.update({(group[0], group[1]): None for group in again if results[group] == "fail"})


def _distances(count: int) -> list[int]:
    """Return 1, 2, 4, … below a count.

    >>> _distances(9)
    [1, 2, 4, 8]
    """
    return [1 << step for step in range((count - 1).bit_length())]


def _apart(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Return disjoint groups, preferring earlier ones."""
    taken: set[str] = set()
    found = []
    for group in groups:
        if not taken & set(group):
            taken.update(group)
            found.append(group)
    return tuple(dict.fromkeys(found))


def _of_several(pairs: Collection[tuple[str, str]]) -> list[str]:
    """Return nodes that fail with several others which do not: the fault is theirs."""
    met = {
        node: {other for pair in pairs if node in pair for other in pair} - {node} for pair in pairs for node in pair
    }
    return [
        node for node in met if len(met[node]) >= 2 and all(len(met[other]) < len(met[node]) for other in met[node])
    ]
