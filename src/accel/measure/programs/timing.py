"""Times a function on any backend: warm-up, device synchronisation, and enough runs to estimate the uncertainty.

The first calls compile, load kernels and raise clocks: they are not counted. A call to a device returns before the work
is done: a run ends when the device has finished. One call may be too short for the clock: a run consists of many calls.
"""

from __future__ import annotations

import gc
import time
from typing import Any, Callable  # noqa: UP035  (Python 3.8)

_LEAST_RUN_SECONDS = 0.002
_MOST_CALLS = 10_000
_STEADY = 0.05  # two warm-up runs differ by less than this: it is warm
_WARM_SHARE = 0.25  # of the time, at most twice that


def measured(
    call: Callable[[], Any],
    wait: Callable[[Any], Any] | None,
    *,
    seconds: float,
    events: Callable[[], Any] | None = None,
    before: Callable[[], Any] | None = None,
    each: bool = False,
    least_runs: int = 5,
    most_runs: int = 200,
) -> dict[str, Any]:
    """Return how long a call takes, measured over about `seconds` seconds including warm-up.

    wait    returns when the device has finished a call's work; it gets the call's return value
    events  creates an event of the device's own clock: record() and elapsed_time(later) in milliseconds
    before  runs before each run, untimed; a run is one call then
    each    wait for each call, not for the last of a run: if calls may overtake each other

    Returns seconds (the median), best, worst, spread (of the middle half of runs, as a fraction of the median), runs,
    calls (per run), warmup_calls, first (seconds of the first call, including compilation).
    """
    start = time.perf_counter()
    counted = gc.isenabled()
    gc.disable()  # like timeit: a garbage collection must not count as the function's time
    try:
        run = _runner(call, wait, None, before, each)
        first = run(1)
        last, warm_calls, warm_until = first, 1, time.perf_counter() + seconds * _WARM_SHARE
        while True:
            now = run(1)
            warm_calls += 1
            steady = abs(now - last) <= _STEADY * now
            last = now
            left = warm_until - time.perf_counter()
            if (steady and left <= 0) or left <= -seconds * _WARM_SHARE or now > seconds / 4:
                break
        calls = 1
        if before is None:
            calls = max(1, min(_MOST_CALLS, int(_LEAST_RUN_SECONDS / max(last, 1e-9)) + 1))
            calls = max(1, min(calls, int((seconds / 10) / max(last, 1e-9))))
        run = _runner(call, wait, events, before, each)
        runs: list[float] = []
        while len(runs) < most_runs:
            runs.append(run(calls) / calls)
            if len(runs) >= least_runs and time.perf_counter() - start >= seconds:
                break
    finally:
        if counted:
            gc.enable()
    return {**statistics_of(runs), "calls": calls, "warmup_calls": warm_calls, "first": first}


def statistics_of(runs: list[float]) -> dict[str, Any]:
    """Return median, best, worst, spread and number of the runs' seconds."""
    ordered = sorted(runs)
    middle = _quantile(ordered, 0.5)
    spread = (_quantile(ordered, 0.75) - _quantile(ordered, 0.25)) / middle if middle else 0.0
    return {"seconds": middle, "best": ordered[0], "worst": ordered[-1], "spread": spread, "runs": len(ordered)}


def _quantile(ordered: list[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _runner(call: Any, wait: Any, events: Any, before: Any, each: bool) -> Callable[[int], float]:
    """Return a function that makes n calls and returns the seconds until the device has finished them."""
    clock = time.perf_counter

    def by_host(calls: int) -> float:
        if before is not None:
            before()
        if wait is not None:
            wait(None)
        start = clock()
        result = None
        for _ in range(calls):
            result = call()
            if each and wait is not None:
                wait(result)
        if wait is not None:
            wait(result)
        return clock() - start

    def by_events(calls: int) -> float:
        if before is not None:
            before()
        wait(None)
        begun, ended = events(), events()
        begun.record()
        for _ in range(calls):
            call()
        ended.record()
        wait(None)
        return float(begun.elapsed_time(ended)) / 1000

    return by_host if events is None else by_events


def tried(call: Callable[[], Any], wait: Callable[[Any], Any], enough: float = float("inf")) -> float:
    """Return the seconds of one call, the best of two after the first, which may compile.

    enough  seconds from which on one call is enough: a format without fast kernels here
    """
    took: list[float] = []
    while len(took) < 3 and (not took or took[-1] <= enough):
        start = time.perf_counter()
        wait(call())
        took.append(time.perf_counter() - start)
    return min(took[1:] or took)
