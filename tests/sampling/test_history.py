"""The past of devices is kept as it was, in steps, and in memory that does not grow."""

import gc
import tracemalloc

from accel.model.readings import Readings
from accel.watch.sampling.history import History
from accel.watch.sampling.tick import Tick


def _tick(seconds: float, **values: float | None) -> Tick:
    readings = tuple(Readings(id=name.replace("_", ":"), busy_percent=value) for name, value in values.items())
    return Tick(number=int(seconds), seconds=seconds, time=seconds, devices=(), readings=readings)


def test_recent_ticks_are_kept_as_they_were_and_an_unknown_one_is_none() -> None:
    history = History(recent=4)
    for seconds, value in enumerate((10.0, None, 30.0)):
        history.add(_tick(seconds, nvidia_0=value))
    assert history.recent("nvidia:0", "busy_percent") == [(0.0, 10.0), (1.0, None), (2.0, 30.0)]


def test_the_oldest_ticks_give_way() -> None:
    history = History(recent=3)
    for seconds in range(5):
        history.add(_tick(seconds, nvidia_0=float(seconds)))
    assert history.recent("nvidia:0", "busy_percent") == [(2.0, 2.0), (3.0, 3.0), (4.0, 4.0)]


def test_a_device_that_comes_later_has_no_past_and_one_that_is_away_has_a_hole() -> None:
    history = History(recent=6)
    history.add(_tick(0, nvidia_0=1.0))
    history.add(_tick(1, nvidia_0=2.0, nvidia_1=7.0))
    history.add(_tick(2, nvidia_0=3.0))
    history.add(_tick(3, nvidia_0=4.0, nvidia_1=9.0))
    history.add(_tick(4, nvidia_0=5.0))
    assert [value for _, value in history.recent("nvidia:1", "busy_percent")] == [None, 7.0, None, 9.0, None]


def test_steps_have_the_mean_the_least_and_the_most_and_a_step_without_readings_is_unknown() -> None:
    history = History(recent=10, step_seconds=2.0, steps=10)
    for seconds, value in ((0, 10.0), (1, 30.0), (2, None), (3, None), (4, 5.0), (6, 1.0)):
        history.add(_tick(seconds, nvidia_0=value))
    shown = [(p.seconds, p.mean, p.least, p.most) for p in history.steps("nvidia:0", "busy_percent")]
    assert shown == [(1.0, 20.0, 10.0, 30.0), (3.0, None, None, None), (5.0, 5.0, 5.0, 5.0)]


def test_a_pause_of_watching_is_steps_that_are_not_known() -> None:
    history = History(recent=10, step_seconds=1.0, steps=10)
    history.add(_tick(0, nvidia_0=1.0))
    history.add(_tick(3, nvidia_0=2.0))
    assert [p.mean for p in history.steps("nvidia:0", "busy_percent")] == [1.0, None, None]


def test_a_device_that_is_long_gone_is_forgotten() -> None:
    history = History(recent=3)
    history.add(_tick(0, nvidia_0=1.0, nvidia_1=1.0))
    for seconds in range(1, 6):
        history.add(_tick(seconds, nvidia_0=1.0))
    assert history.devices == ("nvidia:0",)


def test_memory_does_not_grow_once_the_rings_are_full() -> None:
    history = History(recent=60, step_seconds=10.0, steps=30)
    seconds = 0.0

    def run(ticks: int) -> None:
        nonlocal seconds
        for _ in range(ticks):
            seconds += 1.0
            history.add(_tick(seconds, nvidia_0=seconds % 100, nvidia_1=seconds % 7))

    def held() -> int:
        """Return the bytes that accel itself holds: other threads of the tests allocate, too."""
        gc.collect()
        own = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, "*/accel/*")])
        return sum(trace.size for trace in own.traces)

    run(400)
    tracemalloc.start()
    run(100)
    before = held()
    run(3000)
    grown = held() - before
    tracemalloc.stop()
    assert grown < 2000
