"""Bad nodes and bad pairs are found by halves, over simulated nodes into which they are put."""

from collections.abc import Iterable, Mapping
from itertools import combinations
from math import ceil, log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_nodes import isolated

from accel.fleet.halves import Group, Result, Suspects, halves


class Cluster:
    """Nodes that pass any test but those with a bad node, or both nodes of a bad pair."""

    def __init__(self, count: int, bad: Iterable[int] = (), pairs: Iterable[tuple[int, int]] = ()) -> None:
        self.nodes = [f"n{number}" for number in range(count)]
        self.bad = {f"n{number}" for number in bad}
        self.pairs = [{f"n{one}", f"n{other}"} for one, other in pairs]
        self.largest = 0

    def test(self, groups: tuple[Group, ...]) -> Mapping[Group, Result]:
        seen: set[str] = set()
        for group in groups:
            assert len(group) >= 2
            assert len(set(group)) == len(group)
            assert not seen & set(group)  # the groups of a round are tested side by side
            seen.update(group)
        return {group: self._result(set(group)) for group in groups}

    def _result(self, group: set[str]) -> Result:
        return "fail" if group & self.bad or any(pair <= group for pair in self.pairs) else "pass"

    def found(self) -> Suspects:
        return isolated(halves(self.nodes), self.test)


@settings(max_examples=150, deadline=None)
@given(st.integers(3, 300), st.sets(st.integers(0, 299), max_size=5))
def test_every_bad_node_is_found_and_no_other(count: int, bad: set[int]) -> None:
    cluster = Cluster(count, {number for number in bad if number < count})
    if len(cluster.bad) > count - 2:
        return
    found = cluster.found()
    assert (set(found.nodes), found.pairs, found.unclear) == (cluster.bad, (), ())


@settings(max_examples=150, deadline=None)
@given(st.integers(3, 300), st.integers(0, 299), st.integers(0, 299))
def test_a_pair_that_fails_only_together_is_found(count: int, one: int, other: int) -> None:
    one, other = one % count, other % count
    if one == other:
        return
    cluster = Cluster(count, pairs=[(one, other)])
    found = cluster.found()
    assert found.nodes == ()
    assert [set(pair) for pair in found.pairs] == cluster.pairs
    assert found.unclear == ()


@pytest.mark.parametrize(("count", "bad"), [(2, 0), (3, 0), (2048, 1), (5000, 3), (10_000, 12)])
def test_it_takes_few_rounds(count: int, bad: int) -> None:
    cluster = Cluster(count, range(7, 7 + 97 * bad, 97))
    found = cluster.found()
    assert set(found.nodes) == cluster.bad
    assert found.rounds <= ceil(log2(count)) + 3
    assert found.tests <= 1 + (2 * ceil(log2(count)) + 3) * bad


def test_a_cluster_that_is_well_takes_one_test() -> None:
    assert Cluster(4096).found() == Suspects(rounds=1, tests=1)


@pytest.mark.parametrize("count", [0, 1])
def test_less_than_two_nodes_are_nothing_to_test(count: int) -> None:
    assert Cluster(count).found() == Suspects()


def test_bad_nodes_and_a_bad_pair_are_found_side_by_side() -> None:
    found = Cluster(64, [5], [(40, 60)]).found()
    assert found.nodes == ("n5",)
    assert [set(pair) for pair in found.pairs] == [{"n40", "n60"}]


@pytest.mark.parametrize("bad", list(combinations(range(4), 2)))
def test_half_of_a_small_cluster(bad: tuple[int, int]) -> None:
    found = Cluster(4, bad).found()
    assert {*found.nodes} | {name for pair in found.pairs for name in pair} >= {f"n{number}" for number in bad}
    good = {f"n{number}" for number in range(4)} - {f"n{number}" for number in bad}
    assert not good & set(found.nodes)


def test_a_fault_that_goes_away_is_unclear_and_ends() -> None:
    asked: list[int] = []

    def once(groups: tuple[Group, ...]) -> Mapping[Group, Result]:
        asked.append(len(groups))
        return dict.fromkeys(groups, "fail" if len(asked) == 1 else "pass")

    found = isolated(halves([f"n{number}" for number in range(16)]), once)
    assert (found.nodes, found.pairs) == ((), ())
    assert found.unclear


def test_a_group_without_a_result_has_failed() -> None:
    assert isolated(halves(["n0", "n1", "n2", "n3"]), lambda groups: {}) == Cluster(4, range(4)).found()


def test_all_bad_ends_and_names_them() -> None:
    assert set(Cluster(9, range(9)).found().nodes) == set(Cluster(9).nodes)
