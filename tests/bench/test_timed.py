"""A function is timed warm, to the end of the device's work, over runs that the clock can tell apart."""

import sys
from types import ModuleType
from typing import Any

import pytest

import accel
from accel.measure.programs import timing
from accel.model.errors import BadInput


class Clock:
    """Stands for time.perf_counter: it goes on by what the calls and waits of a test take."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(timing, "time", made)
    return made


class Queue:
    """A device: a call returns at once, and the work is done when somebody waits for it."""

    def __init__(self, clock: Clock, takes: float, first: float = 0.0) -> None:
        self.clock, self.takes, self.left, self.calls, self.waits = clock, takes, first, 0, 0

    def call(self) -> None:
        self.calls += 1
        self.left += self.takes
        self.clock.now += 1e-6

    def wait(self, _result: Any = None) -> None:
        self.waits += 1
        self.clock.now += self.left
        self.left = 0.0


def test_the_time_is_that_of_the_work_and_not_of_the_launch(clock: Clock) -> None:
    device = Queue(clock, takes=0.01)
    found = timing.measured(device.call, device.wait, seconds=1.0)
    assert found["seconds"] == pytest.approx(0.010, rel=0.01)
    assert found["spread"] == pytest.approx(0.0, abs=1e-6)
    assert found["runs"] >= 5


def test_compilation_is_in_the_first_call_alone(clock: Clock) -> None:
    device = Queue(clock, takes=0.01)

    def call() -> None:
        clock.now += 0 if device.calls else 30.0
        device.call()

    found = timing.measured(call, device.wait, seconds=1.0)
    assert found["first"] > 30
    assert found["worst"] == pytest.approx(0.010, rel=0.01)


def test_it_warms_up_until_runs_agree(clock: Clock) -> None:
    device = Queue(clock, takes=0.02)

    def call() -> None:
        device.takes = 0.01 if device.calls > 8 else 0.02 - 0.001 * device.calls
        device.call()

    found = timing.measured(call, device.wait, seconds=1.0)
    assert found["worst"] == pytest.approx(0.010, rel=0.02)
    assert found["warmup_calls"] > 8


def test_short_calls_are_timed_together_and_the_figure_is_of_one(clock: Clock) -> None:
    device = Queue(clock, takes=1e-5)
    found = timing.measured(device.call, device.wait, seconds=0.5)
    assert found["calls"] > 100
    assert found["seconds"] == pytest.approx(1.1e-5, rel=0.05)


def test_what_runs_before_a_run_is_not_counted(clock: Clock) -> None:
    device = Queue(clock, takes=0.01)

    def before() -> None:
        clock.now += 0.2

    found = timing.measured(device.call, device.wait, seconds=2.0, before=before)
    assert found["calls"] == 1
    assert found["seconds"] == pytest.approx(0.010, rel=0.01)


def test_the_devices_own_events_are_used_where_it_has_them(clock: Clock) -> None:
    device = Queue(clock, takes=0.01)

    class Event:
        def record(self) -> None:
            self.at = device.calls

        def elapsed_time(self, later: "Event") -> float:
            return 7.0 * (later.at - self.at)  # milliseconds

    found = timing.measured(device.call, device.wait, seconds=1.0, events=Event)
    assert found["seconds"] == pytest.approx(0.007)


def test_statistics_are_median_and_the_middle_half() -> None:
    found = timing.statistics_of([1.0, 2.0, 3.0, 4.0, 100.0])
    assert (found["seconds"], found["best"], found["worst"], found["runs"]) == (3.0, 1.0, 100.0, 5)
    assert found["spread"] == pytest.approx(2 / 3)


def test_a_plain_function_is_timed_without_any_framework() -> None:
    took = accel.bench.timed(lambda: sum(range(50)), seconds=0.02)
    assert took.seconds > 0
    assert took.runs >= 5
    assert took.device == "cpu"
    assert "no wait" in str(took)


@pytest.fixture
def torch_of_a_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A torch without accelerators, as far as it is asked."""
    torch, cuda = ModuleType("torch"), ModuleType("torch.cuda")
    torch.Tensor, torch.cuda, torch.__version__ = type("Tensor", (), {}), cuda, "2.9.0+cpu"  # type: ignore[attr-defined]
    cuda.is_available = lambda: False  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "jax", None)


@pytest.mark.usefixtures("torch_of_a_cpu")
@pytest.mark.parametrize(
    ("device", "says"),
    [
        (None, "The function returns nothing, so where its work is done is not known. Give the device:"),
        ("cuda:0", "cuda:0: torch 2.9.0+cpu has no cuda device here. Why:  accel doctor"),
        ("tpu:0", "no framework imported in this process supports it"),
        (3.5, "give a torch.device, a jax.Device, a Device of accel, or a name"),
    ],
)
def test_what_cannot_be_waited_for_is_refused_with_what_to_do(device: Any, says: str) -> None:
    with pytest.raises(BadInput) as refused:
        accel.bench.timed(lambda: None, device, seconds=0.02)
    assert says in str(refused.value)


def test_what_the_function_raises_is_passed_on() -> None:
    def fails() -> None:
        raise ZeroDivisionError("the user's own")

    with pytest.raises(ZeroDivisionError, match="the user's own"):
        accel.bench.timed(fails)
    with pytest.raises(BadInput, match="give a time above 0"):
        accel.bench.timed(int, seconds=0)
