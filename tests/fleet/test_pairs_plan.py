"""Nodes that hang, fail or are slow are found among simulated ones: with two faults, noise, and links that are bad."""

from collections.abc import Iterable, Mapping
from math import ceil, log2
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_nodes import isolated

from accel.fleet.halves import Group, Results, Suspects
from accel.fleet.pairs.judging import Judge, Measured
from accel.fleet.pairs.plan import isolation


class Cluster:
    """Nodes whose tests hang, or are slow, where a node or a pair of them is bad; each test may fail by chance.

    near  how many nodes stand under one switch: pairs across it are three times slower, as their network is
    noise  how often a test fails without a reason; spread: how much rates vary, as a share
    """

    def __init__(
        self,
        count: int,
        *,
        hang: Iterable[int] = (),
        slow: Iterable[int] = (),
        links: Iterable[tuple[int, int]] = (),
        crowd: int | None = None,
        near: int = 10**9,
        noise: float = 0.0,
        spread: float = 0.0,
        seed: int = 1,
    ) -> None:
        self.nodes = [f"n{number}" for number in range(count)]
        self.hang, self.slow = {f"n{one}" for one in hang}, {f"n{one}" for one in slow}
        self.links = [{f"n{one}", f"n{other}"} for one, other in links]
        self.crowd, self.near, self.noise, self.spread = crowd, near, noise, spread
        self.chance = Random(seed)
        self.judge = Judge()

    def test(self, groups: tuple[Group, ...]) -> Results:
        seen: set[str] = set()
        for group in groups:
            assert len(set(group)) == len(group) >= 2
            assert not seen & set(group)  # the groups of a round are tested side by side
            seen.update(group)
        judged = self.judge.judged({group: self.measured(group) for group in groups})
        return {group: "pass" if one.fault is None else "fail" for group, one in judged.items()}

    def measured(self, group: Group) -> Measured:
        names = set(group)
        crowded = self.crowd is not None and "n7" in names and len(group) >= self.crowd
        bad = names & self.hang or any(link <= names for link in self.links) or crowded
        if bad or self.chance.random() < self.noise:
            return Measured(fault="hang")
        places = [int(name[1:]) // self.near for name in group]
        rate = (1.0 if len(set(places)) == 1 else 0.33) * (0.2 if names & self.slow else 1.0)
        return Measured(bytes_per_second=rate * (1 + self.chance.uniform(-self.spread, self.spread)))

    def found(self) -> Suspects:
        return isolated(isolation(self.nodes), self.test)


@settings(max_examples=120, deadline=None)
@given(st.integers(5, 200), st.sets(st.integers(0, 199), max_size=2), st.sets(st.integers(0, 199), max_size=2))
def test_nodes_that_hang_and_nodes_that_are_slow_are_found_and_no_others(
    count: int, hang: set[int], slow: set[int]
) -> None:
    hang, slow = {one for one in hang if one < count}, {one for one in slow if one < count}
    if len(hang | slow) * 2 >= count - 2:
        return
    cluster = Cluster(count, hang=hang, slow=slow, spread=0.1)
    found = cluster.found()
    assert (set(found.nodes), found.pairs, found.unclear) == (cluster.hang | cluster.slow, (), ())


@settings(max_examples=80, deadline=None)
@given(st.integers(5, 200), st.integers(0, 199), st.integers(0, 199))
def test_two_that_hang_only_together_are_found_as_a_pair(count: int, one: int, other: int) -> None:
    one, other = one % count, other % count
    if one == other:
        return
    found = Cluster(count, links=[(one, other)]).found()
    assert found.nodes == ()
    assert [set(pair) for pair in found.pairs] == [{f"n{one}", f"n{other}"}]


@pytest.mark.parametrize(("count", "bad"), [(64, 0), (64, 1), (64, 2), (4096, 20)])
def test_rounds_grow_with_the_logarithm(count: int, bad: int) -> None:
    places = [(7 + 4711 * number) % count for number in range(bad)]
    cluster = Cluster(count, hang=places[::2], slow=places[1::2], spread=0.1, near=32)
    found = cluster.found()
    assert set(found.nodes) == cluster.hang | cluster.slow
    assert found.rounds <= ceil(log2(count)) + 5


@pytest.mark.parametrize("noise", [0.002, 0.01])
def test_tests_that_fail_by_chance_convict_nobody_and_hide_nobody(noise: float) -> None:
    for seed in range(12):
        cluster = Cluster(600, hang=[100], slow=[401], noise=noise, spread=0.15, near=32, seed=seed)
        found = cluster.found()
        assert {"n100", "n401"} <= set(found.nodes)
        assert len(found.nodes) <= 3
        assert len(found.pairs) <= 1


def test_a_node_that_hangs_only_in_large_groups_is_narrowed_to_the_least_group_that_hangs() -> None:
    found = Cluster(64, crowd=5).found()
    assert (found.nodes, found.pairs) == ((), ())
    assert all("n7" in group for group in found.unclear)
    assert found.unclear


@pytest.mark.parametrize(("count", "bad"), [(3, 0), (3, 1), (3, 2), (4, 0), (4, 3)])
def test_one_of_few_is_found(count: int, bad: int) -> None:
    assert Cluster(count, hang=[bad]).found().nodes == (f"n{bad}",)
    assert Cluster(count, slow=[bad]).found().nodes == (f"n{bad}",)


def test_of_two_nobody_knows_which() -> None:
    assert Cluster(2, hang=[0]).found().nodes == ("n0", "n1")
    assert Cluster(2, slow=[0]).found() == Suspects(rounds=1, tests=1)


@pytest.mark.parametrize("count", [0, 1])
def test_less_than_two_are_nothing_to_test(count: int) -> None:
    assert Cluster(count).found() == Suspects()


def test_where_nothing_passes_it_is_what_all_share() -> None:
    found = Cluster(300, hang=range(300)).found()
    assert (found.nodes, found.nothing_passes, found.rounds) == ((), True, 2)
    found = Cluster(6, hang=[0, 2, 4]).found()
    assert (found.nodes, found.nothing_passes) == (("n0", "n2", "n4"), False)


def test_a_node_that_fails_with_several_is_the_bad_one_and_no_pairs_are() -> None:
    found = Cluster(16, links=[(3, 7), (3, 11), (3, 2)]).found()
    assert found.nodes == ("n3",)
    assert found.pairs == ()


def rates(*values: float | None) -> Mapping[Group, Measured]:
    return {(f"a{n}", f"b{n}"): Measured(bytes_per_second=one) for n, one in enumerate(values)}


@pytest.mark.parametrize(
    ("values", "slow"),
    [
        ((1.0,), []),
        ((1.0, 0.4), [1]),
        ((1.0, 0.5), []),
        ((1.0, 0.4, 0.4), [1, 2]),
        ((1.0, 1.1, 0.9, 1.0, 0.4, 0.45), [4, 5]),
        ((), []),
    ],
)
def test_pairs_of_a_round_are_compared_with_each_other(values: tuple[float, ...], slow: list[int]) -> None:
    told = Judge().judged(rates(*values))
    assert [n for n, one in enumerate(told.values()) if one.fault == "slow"] == slow


def test_a_pair_whose_node_failed_before_is_compared_with_all_that_passed() -> None:
    judge = Judge()
    judge.judged(rates(1.0, 1.0, 1.0, 1.0, 0.2, 0.2, 0.2))
    again = judge.judged({(f"a{n}", f"b{n - 4}"): Measured(bytes_per_second=0.2) for n in (4, 5, 6)})
    assert [one.fault for one in again.values()] == ["slow"] * 3


def test_a_rate_below_the_least_is_slow_whatever_the_others_reach() -> None:
    told = Judge(least_bytes_per_second=0.5).judged(rates(0.4, 0.6))
    assert [one.fault for one in told.values()] == ["slow", None]
