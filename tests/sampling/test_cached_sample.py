"""A backend that takes longer than a tick: its last sample stands until the next, and nobody waits for that."""

import threading
from typing import Any

import pytest

from accel.model.readings import Readings
from accel.watch.sampling.cached_sample import CachedSample


class Slow:
    """A machine's clock and a sample that takes so many seconds on it; beside, it ends when it is let."""

    def __init__(self, took: float) -> None:
        self.now, self.took, self.taken = 0.0, took, 0
        self.let = threading.Event()
        self.let.set()
        self.kept = CachedSample()

    def seconds(self) -> float:
        return self.now

    def take(self) -> list[Readings]:
        if threading.current_thread() is not threading.main_thread():
            self.let.wait()
        self.taken += 1
        self.now += self.took
        return [Readings(id="acme:0", busy_percent=float(self.taken))]

    def tick(self, at: float) -> Readings:
        self.now = at
        machine: Any = self
        (one,) = self.kept.readings(machine, self.take)
        return one

    def finish(self) -> None:
        """Let the sample that is taken beside come to its end."""
        self.let.set()
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and thread.daemon:
                thread.join()


def test_a_prompt_backend_is_asked_at_each_call() -> None:
    slow = Slow(took=0.2)
    assert [slow.tick(float(at)).busy_percent for at in range(4)] == [1.0, 2.0, 3.0, 4.0]
    assert slow.tick(4.0).gaps == ()


def test_a_slow_one_is_asked_beside_and_its_last_sample_says_how_old_it_is() -> None:
    slow = Slow(took=2.0)
    assert slow.tick(0.0).busy_percent == 1.0
    kept = slow.tick(3.0)
    assert (kept.busy_percent, slow.taken) == (1.0, 1)
    assert [gap.reason for gap in kept.gaps] == ["3 s old: one sample takes 2.0 s, and is taken in parallel"]
    slow.let.clear()
    assert slow.tick(4.0).busy_percent == 1.0  # as long as one takes has gone by: the next is begun
    assert slow.tick(5.0).busy_percent == 1.0
    slow.finish()
    assert slow.tick(6.0).busy_percent == 2.0


def test_one_that_takes_much_longer_than_usual_is_late_and_its_old_figures_are_not_shown() -> None:
    slow = Slow(took=2.0)
    slow.tick(0.0)
    slow.let.clear()
    assert slow.tick(4.0).state == "ok"
    assert slow.tick(11.0).state == "ok"
    late = slow.tick(11.5)
    assert (late.state, late.busy_percent) == ("late", None)
    assert [gap.reason for gap in late.gaps] == ["no answer for 8 s: the last took 2.0 s"]
    slow.finish()
    assert (slow.tick(12.0).state, slow.taken) == ("ok", 2)


def test_of_a_sample_that_told_nothing_that_is_said() -> None:
    slow = Slow(took=2.0)
    machine: Any = slow

    def silent() -> list[Readings]:
        slow.now += 10
        return [Readings(id="acme:0")]

    slow.kept.readings(machine, silent)
    assert [gap.reason for gap in slow.tick(11.0).gaps] == ["the last sample, of 10.0 s, has no value for it"]


def test_a_slow_one_is_asked_at_each_call_where_these_are_rare() -> None:
    slow = Slow(took=2.0)
    assert [slow.tick(at).busy_percent for at in (0.0, 60.0, 120.0)] == [1.0, 2.0, 3.0]


def test_what_it_raises_is_raised_where_it_is_asked() -> None:
    slow = Slow(took=0.0)
    machine: Any = slow

    def broken() -> list[Readings]:
        raise ValueError("no table")

    with pytest.raises(ValueError, match="no table"):
        slow.kept.readings(machine, broken)
    assert slow.tick(1.0).busy_percent == 1.0
