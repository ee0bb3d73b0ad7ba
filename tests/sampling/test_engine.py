"""Watching goes on at its pace, whatever devices and backends do; what is missing is seen."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sampled_nodes import FakeClock, Node, device

from accel.machine.live import LiveMachine
from accel.model.errors import BadInput, NoSuchDevice
from accel.specs import load
from accel.watch.sampling import desk as desk_module
from accel.watch.sampling.engine import Engine
from accel.watch.sampling.feed import Feed
from accel.watch.sampling.identities import joined
from accel.watch.sampling.tick import Tick

forking = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")


class OneBackend:
    """A registry that has one backend."""

    guests: frozenset[str] = frozenset()

    def __init__(self, node: Node) -> None:
        self._node = node
        self.specs = load(environment={})

    def backends_on(self, machine: object) -> tuple[Node, ...]:
        return (self._node,)

    def backend(self, name: str) -> Node | None:
        return self._node if name == "acme" else None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for index in range(3):
        (tmp_path / str(index)).write_text("")
    return tmp_path


@pytest.fixture
def engine(folder: Path) -> Iterator[Callable[..., Engine]]:
    made = []

    def make(*which: str, **options: Any) -> Engine:
        registry: Any = OneBackend(Node(folder))
        options = {"isolate": False, "clock": FakeClock(), **options}
        made.append(Engine(LiveMachine({}), registry, which, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def _states(tick: Tick) -> dict[str, str]:
    return {readings.id: readings.state for readings in tick.readings}


def _happened(tick: Tick) -> list[tuple[str, str | None]]:
    return [(one.kind, one.device) for one in tick.happenings]


def test_each_device_is_read_at_each_tick_and_the_pace_does_not_drift(engine: Callable[..., Engine]) -> None:
    clock = FakeClock()
    ticks = []
    for tick in engine(interval_seconds=2.0, clock=clock).ticks(count=4):
        ticks.append(tick)
        clock.now += 0.3  # what the caller does takes its time
    assert [tick.seconds for tick in ticks] == [0.0, 2.0, 4.0, 6.0]
    assert [tick.number for tick in ticks] == [0, 1, 2, 3]
    assert [readings.busy_percent for readings in ticks[0].readings] == [0.0, 10.0, 20.0]


def test_ticks_that_nobody_could_take_are_left_out_and_said(engine: Callable[..., Engine]) -> None:
    clock = FakeClock()
    watching = engine(clock=clock).ticks(count=3)
    next(watching)
    clock.now += 5.5
    late = next(watching)
    assert late.seconds == 5.5
    assert [one.text for one in late.happenings] == ["4 ticks were missed: nothing was queried"]
    assert next(watching).seconds == 6.0


def test_a_clock_that_was_set_is_said_and_the_pace_is_kept(engine: Callable[..., Engine]) -> None:
    ticks = list(engine(clock=FakeClock({1.5: 3600.0})).ticks(count=4))
    assert [tick.seconds for tick in ticks] == [0.0, 1.0, 2.0, 3.0]
    assert [_happened(tick) for tick in ticks] == [[], [], [("clock", None)], []]
    assert "forward by 3600.0 s" in ticks[2].happenings[0].text


def test_a_device_that_vanishes_is_shown_as_gone_and_as_back(engine: Callable[..., Engine], folder: Path) -> None:
    clock = FakeClock()
    watching = engine(clock=clock)
    watching.take()
    (folder / "1").rename(folder / "away")
    lost = watching.take()
    assert _states(lost) == {"acme:0": "ok", "acme:1": "gone", "acme:2": "ok"}
    assert _happened(lost) == [("gone", "acme:1")]
    assert lost.readings[1].busy_percent is None
    (folder / "away").rename(folder / "1")
    back = watching.take()
    assert _states(back) == {"acme:0": "ok", "acme:1": "ok", "acme:2": "ok"}
    assert _happened(back) == [("back", "acme:1")]


def test_a_driver_that_is_loaded_anew_takes_all_its_devices_away_and_gives_them_back(
    engine: Callable[..., Engine], folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    unloaded = tmp_path_factory.mktemp("unloaded")
    clock = FakeClock()
    watching = engine(clock=clock)
    watching.take()
    for name in "012":
        (folder / name).rename(unloaded / name)
    lost = watching.take()
    assert set(_states(lost).values()) == {"gone"}
    clock.now += 5
    assert _happened(watching.take()) == []  # that they are still away is no news, and their places are kept
    for name in "012":
        (unloaded / name).rename(folder / name)
    clock.now += 61
    seen = [watching.take(), watching.take()]
    assert set(_states(seen[-1]).values()) == {"ok"}
    assert sorted(one for tick in seen for one in _happened(tick)) == [("back", f"acme:{n}") for n in range(3)]


def test_a_device_that_answers_and_tells_nothing_any_more_is_gone(engine: Callable[..., Engine], folder: Path) -> None:
    watching = engine()
    watching.take()
    (folder / "1.does").write_text("silent")
    lost = watching.take()
    assert (_states(lost)["acme:1"], _happened(lost)) == ("gone", [("gone", "acme:1")])
    (folder / "1.does").unlink()
    assert _happened(watching.take()) == [("back", "acme:1")]


def test_partitions_made_anew_while_watching_take_the_place_of_those_that_went(
    engine: Callable[..., Engine], folder: Path
) -> None:
    (folder / "0.part1").write_text("")
    clock = FakeClock()
    watching = engine(clock=clock)
    assert [r.id for r in watching.take().readings] == ["acme:0", "acme:0/part1", "acme:1", "acme:2"]
    (folder / "0.part1").rename(folder / "0.part2")
    assert _states(watching.take())["acme:0/part1"] == "ok"  # its handle answers, and the driver lists it no more
    clock.now += 61
    after = watching.take()
    assert [r.id for r in after.readings] == ["acme:0", "acme:0/part2", "acme:1", "acme:2"]
    assert sorted(_happened(after)) == [("gone", "acme:0/part1"), ("new", "acme:0/part2")]


def test_a_new_device_is_found_in_time_and_only_where_it_is_wanted(engine: Callable[..., Engine], folder: Path) -> None:
    clock = FakeClock()
    every, one = engine(clock=clock), engine("acme:0", clock=clock)
    for watching in (every, one):
        watching.take()
    (folder / "7").write_text("")
    clock.now += 61
    tick = every.take()
    assert [r.id for r in tick.readings] == ["acme:0", "acme:1", "acme:2", "acme:7"]
    assert _happened(tick) == [("new", "acme:7")]
    assert [r.id for r in one.take().readings] == ["acme:0"]


def test_another_device_under_the_same_id_is_said(engine: Callable[..., Engine], folder: Path) -> None:
    watching = engine()
    watching.take()
    (folder / "2").write_text("ACME-another")
    assert _states(watching.take())["acme:2"] == "gone"
    tick = watching.take()
    assert ("changed", "acme:2") in _happened(tick)
    assert tick.devices[2].uuid == "ACME-another"


def test_a_lost_device_that_no_longer_says_who_it_is_stays_who_it_was() -> None:
    known = (device(0, pci_address="0000:01:00.0"), device(1, pci_address="0000:02:00.0"))
    nameless = device(1, uuid=None, name=None, pci_address="0000:02:00.0")
    assert joined(known, (known[0], nameless), lambda _: True) == (known, [])


def test_a_partition_that_was_taken_away_is_dropped_and_a_whole_device_is_not() -> None:
    known = (device(0), device(0, id="acme:0/part1", uuid="P1", parent="acme:0"), device(1))
    after, happened = joined(
        known, (device(0), device(0, id="acme:0/part2", uuid="P2", parent="acme:0")), lambda _: True
    )
    assert [d.id for d in after] == ["acme:0", "acme:0/part2", "acme:1"]
    assert [(h.kind, h.device) for h in happened] == [("new", "acme:0/part2"), ("gone", "acme:0/part1")]


def test_a_backend_that_raises_costs_its_readings_of_that_moment(engine: Callable[..., Engine], folder: Path) -> None:
    watching = engine()
    watching.take()
    (folder / "all.does").write_text("raise")
    tick = watching.take()
    assert set(_states(tick).values()) == {"failed"}
    assert "it broke" in tick.readings[0].gaps[0].reason
    (folder / "all.does").unlink()
    assert set(_states(watching.take()).values()) == {"ok"}


def test_devices_are_chosen_by_any_of_their_names(engine: Callable[..., Engine]) -> None:
    assert [d.id for d in engine("ACME-00000002").devices] == ["acme:2"]
    assert [d.id for d in engine("1", "acme:0").devices] == ["acme:0", "acme:1"]
    with pytest.raises(NoSuchDevice, match="It has: acme:0, acme:1, acme:2"):
        engine("nvidia:0")


def test_an_interval_that_is_too_short_is_refused(engine: Callable[..., Engine]) -> None:
    with pytest.raises(BadInput, match=r"at least 0\.1 s"):
        engine(interval_seconds=0.01)


@forking
def test_a_call_that_hangs_costs_its_device_that_reading_and_is_named(
    engine: Callable[..., Engine], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "CALL_SECONDS", 0.3)
    watching = engine(isolate=True, clock=None, interval_seconds=0.2)
    next(watching.ticks(count=1))
    (folder / "1.does").write_text("hang")
    ticks = list(watching.ticks(count=6))
    assert _states(ticks[0]) == dict.fromkeys(("acme:0", "acme:1", "acme:2"), "late")
    told = [one for tick in ticks for one in tick.happenings if one.kind == "hung"]
    assert [one.device for one in told] == ["acme:1"]
    assert "read of acme:1 did not return" in told[0].text
    assert {"acme:0": "late", "acme:1": "hung", "acme:2": "late"} in [_states(tick) for tick in ticks]
    assert [readings.power_watts for readings in ticks[-1].readings] == [10.0, 10.0, 10.0]
    assert [readings.busy_percent for readings in ticks[-1].readings] == [0.0, None, 20.0]


@forking
def test_a_call_that_ends_its_process_costs_the_same(engine: Callable[..., Engine], folder: Path) -> None:
    watching = engine(isolate=True, clock=None, interval_seconds=0.2)
    next(watching.ticks(count=1))
    (folder / "0.does").write_text("die")
    ticks = list(watching.ticks(count=3))
    assert [one.text for tick in ticks for one in tick.happenings if one.kind == "failed"] == [
        "read of acme:0 ended its process (SIGKILL): it is skipped and tried again later"
    ]
    assert [readings.busy_percent for readings in ticks[-1].readings] == [None, 10.0, 20.0]


@forking
def test_a_feed_gives_the_same_ticks_from_another_process(folder: Path) -> None:
    registry: Any = OneBackend(Node(folder))
    with Feed.started(LiveMachine({}), registry, interval_seconds=0.1) as feed:
        assert [d.id for d in feed.devices] == ["acme:0", "acme:1", "acme:2"]
        tick = feed.next(10.0)
    assert tick is not None
    assert [readings.busy_percent for readings in tick.readings] == [0.0, 10.0, 20.0]
    with pytest.raises(NoSuchDevice, match="acme:9"):
        Feed.started(LiveMachine({}), registry, ("acme:9",))
