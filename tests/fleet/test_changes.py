"""What is told of a round is what changed since the rounds before: over any two, and any sequence of rounds."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_nodes import device, found, node

from accel.fleet.changes import Change, Seen, advanced
from accel.fleet.model import ANSWERED, NodeAnswer

MIRRORED = {"ill": "recovered", "device lost": "device back", "partial": "whole", "vanished": "returned"}
MIRROR = {**MIRRORED, **{other: one for one, other in MIRRORED.items()}, "version": "version"}
NAMES = [f"n{number}" for number in range(6)]


@st.composite
def answers(draw: st.DrawFn, name: str) -> NodeAnswer:
    state = draw(st.sampled_from(["ok", "ok", "partial", "dead", "unreachable", "no_answer", "tool_failed"]))
    if state not in ANSWERED:
        return node(name, state=state, why=draw(st.sampled_from(["why", "gpu is gone", None])))
    titles = draw(st.sets(st.sampled_from(["nvidia:0 is hot", "nvidia:1 is hot", "/dev/shm is small"]), max_size=2))
    causes = {one.fingerprint: one for one in (found(title, node=name) for title in sorted(titles))}
    devices = [device(number) for number in sorted(draw(st.sets(st.integers(0, 2))))]
    versions = draw(st.dictionaries(st.sampled_from(["driver", "kernel"]), st.sampled_from(["1", "2"])))
    return node(name, *causes.values(), state="ill" if causes else state, devices=devices, versions=versions)


@st.composite
def rounds(draw: st.DrawFn) -> list[NodeAnswer]:
    return [draw(answers(name)) for name in sorted(draw(st.sets(st.sampled_from(NAMES))))]


def after(*every: list[NodeAnswer]) -> tuple[dict[str, Seen], tuple[Change, ...]]:
    """Return what is remembered after rounds, and what the last one changed."""
    seen: dict[str, Seen] = {}
    changes: tuple[Change, ...] = ()
    for number, rows in enumerate(every):
        seen, changes = advanced(seen, rows, 100.0 * number, first=not number)
    return seen, changes


def kinds(changes: tuple[Change, ...]) -> list[tuple[str, str]]:
    return [(change.node, change.kind) for change in changes]


@settings(max_examples=60, deadline=None)
@given(st.lists(rounds(), min_size=1, max_size=4))
def test_a_round_that_is_as_the_one_before_changes_nothing(every: list[list[NodeAnswer]]) -> None:
    seen, _ = after(*every)
    again, changes = advanced(seen, every[-1], 1000.0)
    assert changes == ()
    assert {name: one.heard for name, one in again.items()} == {name: one.heard for name, one in seen.items()}


@settings(max_examples=60, deadline=None)
@given(st.lists(rounds(), min_size=1, max_size=5))
def test_who_reads_the_changes_alone_knows_who_is_ill_and_who_answers(every: list[list[NodeAnswer]]) -> None:
    """The causes and silences that follow from the changes are those of the nodes as they last answered."""
    seen: dict[str, Seen] = {}
    ill: dict[str, set[str]] = {}
    silent: set[str] = set()
    for number, rows in enumerate(every):
        seen, changes = advanced(seen, rows, float(number), first=not number)
        for change in changes:
            if change.kind == "ill":
                ill.setdefault(change.node, set()).add(change.alike)
            elif change.kind == "recovered":
                ill[change.node].remove(change.alike)
            elif change.kind in ("vanished", "silent", "left"):
                silent.add(change.node)
            elif change.kind in ("returned", "joined"):
                silent.discard(change.node)
    for name, one in seen.items():
        causes = {finding.fingerprint.removeprefix("NV006 ") for finding in (one.heard.findings if one.heard else ())}
        assert ill.get(name, set()) == causes
        answers_now = one.answer is not None and one.answer.state in ANSWERED
        assert (name in silent) == (not answers_now)


@settings(max_examples=60, deadline=None)
@given(rounds(), rounds(), rounds())
def test_the_way_back_tells_the_opposite(
    start: list[NodeAnswer], one: list[NodeAnswer], other: list[NodeAnswer]
) -> None:
    """Of nodes that have answered before: from one round to another, and back."""
    names = {row.node for row in start if row.state in ANSWERED}
    one, other = ([row for row in rows if row.node in names] for rows in (one, other))
    both = {row.node for row in one if row.state in ANSWERED} & {row.node for row in other if row.state in ANSWERED}
    there = [pair for pair in kinds(after(start, one, other)[1]) if pair[0] in both]
    back = [pair for pair in kinds(after(start, other, one)[1]) if pair[0] in both]
    assert Counter(there) == Counter((name, MIRROR[kind]) for name, kind in back)


@settings(max_examples=40, deadline=None)
@given(rounds(), st.integers(1, 4))
def test_a_node_that_vanishes_and_returns_as_it_was_is_told_twice_and_no_more(
    rows: list[NodeAnswer], silent: int
) -> None:
    gone = [node(row.node, state="unreachable", why="no route") for row in rows]
    heard = [row.node for row in rows if row.state in ANSWERED]
    assert kinds(after(rows, gone)[1]) == [
        (row.node, "vanished" if row.node in heard else "silent") for row in rows if row.state != "unreachable"
    ]
    assert after(rows, *[gone] * (silent + 1))[1] == ()
    assert [pair for pair in kinds(after(rows, *[gone] * silent, rows)[1]) if pair[0] in heard] == [
        (name, "returned") for name in heard
    ]


@settings(max_examples=25, deadline=None)
@given(rounds(), rounds(), st.randoms())
def test_the_order_of_rows_changes_only_the_order_of_what_is_told(
    one: list[NodeAnswer], other: list[NodeAnswer], chance: object
) -> None:
    mixed = list(other)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    assert Counter(kinds(after(one, other)[1])) == Counter(kinds(after(one, mixed)[1]))


def test_how_long_it_was_away_and_how_often_is_said() -> None:
    well, gone = [node("a")], [node("a", state="dead", why="its scheduler lost it")]
    seen, changes = after(well, gone, gone, well)
    assert [change.text for change in changes] == ["after 3 min"]
    seen, _ = advanced(seen, gone, 400.0)
    _, changes = advanced(seen, well, 430.0)
    assert [change.text for change in changes] == ["after 30 s, lost 2 times so far"]


def test_what_changed_while_it_was_away_is_told_when_it_returns() -> None:
    before = node("a", versions={"driver": "570"}, devices=[device(0), device(1)])
    now = node("a", "nvidia:0 is hot", versions={"driver": "580"}, devices=[device(0)])
    _, changes = after([before], [node("a", state="no_answer", why="no answer after 20 s")], [now])
    assert [(change.kind, change.text) for change in changes] == [
        ("returned", "after 100 s"),
        ("ill", "nvidia:0 is hot"),
        ("version", "driver 570 -> 580"),
        ("device lost", "nvidia:1 NVIDIA H100"),
    ]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([node("a")], []),
        ([node("a", "nvidia:0 is hot")], [("ill", "nvidia:0 is hot")]),
        ([node("a", found("x", severity="info"), state="ok")], []),
        ([node("a", state="no_answer", why="no answer after 20 s")], [("silent", "no answer after 20 s")]),
        ([node("a", state="unreachable", why="Connection refused")], [("silent", "unreachable: Connection refused")]),
        ([node("a", state="partial", why="1 thing")], [("partial", "1 thing")]),
    ],
)
def test_the_first_round_tells_what_is_not_well(rows: list[NodeAnswer], told: list[tuple[str, str]]) -> None:
    assert [(change.kind, change.text) for change in after(rows)[1]] == told


def test_a_node_that_comes_later_joins_and_one_that_is_no_longer_listed_left() -> None:
    assert kinds(after([node("a")], [node("a"), node("b")])[1]) == [("b", "joined")]
    assert kinds(after([node("a"), node("b")], [node("a")])[1]) == [("b", "left")]
    assert kinds(after([node("a"), node("b")], [node("a")], [node("a")])[1]) == []
    assert kinds(after([node("a"), node("b")], [node("a")], [node("a"), node("b")])[1]) == [("b", "returned")]
