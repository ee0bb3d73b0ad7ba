"""What happened between two moments: rates computed from counters, with the readings of the devices."""

import itertools
from collections.abc import Iterator, Mapping, Sequence

from accel.model.dataclass import dataclass
from accel.model.readings import Readings
from accel.model.work import ProcessWork, Work
from accel.watch.sampling.tick import Tick


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessStep:
    """What one process did in a step. None means unknown.

    cores           CPU time used: 2.5 is two and a half CPUs all the time
    busiest_thread  the same for its busiest thread, at most 1
    running, blocked   threads at the end of the step
    """

    pid: int
    name: str | None = None
    is_first: bool = False
    cores: float | None = None
    busiest_thread: float | None = None
    threads: int | None = None
    running: int | None = None
    blocked: int | None = None
    read_bytes_per_second: float | None = None
    written_bytes_per_second: float | None = None
    major_faults_per_second: float | None = None
    swapped_bytes: int | None = None
    waits_in: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The time between two moments.

    seconds   time of its end, since the start of the observation
    length    of the step
    readings  of each observed device, by id
    processes of the program; None if it was not observed
    stalled_* share of the step in which some task waited for that resource
    throttled share of the periods in which the CPU quota was exhausted
    """

    seconds: float
    length: float
    readings: Mapping[str, Readings]
    processes: tuple[ProcessStep, ...] | None = None
    stalled_cpu: float | None = None
    stalled_io: float | None = None
    stalled_memory: float | None = None
    throttled: float | None = None
    swapped_in_bytes_per_second: float | None = None
    shm_total_bytes: int | None = None
    shm_free_bytes: int | None = None


def steps_of(ticks: Sequence[Tick], works: Sequence[Work], devices: Sequence[str]) -> tuple[Step, ...]:
    """Return the steps between ticks; work is matched to the tick with the same time, if there is one.

    devices  ids of the observed devices
    """
    found = []
    beside = {work.seconds: work for work in works}
    for before, tick in itertools.pairwise(ticks):
        length = tick.seconds - before.seconds
        if length <= 0:
            continue
        readings = {one.id: one for one in tick.readings if one.id in devices}
        old, new = beside.get(before.seconds), beside.get(tick.seconds)
        if old is None or new is None:
            found.append(Step(seconds=tick.seconds, length=length, readings=readings))
        else:
            found.append(_with_work(tick.seconds, length, readings, old, new))
    return tuple(found)


def _with_work(seconds: float, length: float, readings: Mapping[str, Readings], old: Work, new: Work) -> Step:
    periods = _more(old.periods, new.periods)
    throttled = _more(old.throttled_periods, new.throttled_periods)
    return Step(
        seconds=seconds,
        length=length,
        readings=readings,
        processes=tuple(_processes(old.processes, new.processes, length)),
        stalled_cpu=_share(old.stalled_cpu_seconds, new.stalled_cpu_seconds, length),
        stalled_io=_share(old.stalled_io_seconds, new.stalled_io_seconds, length),
        stalled_memory=_share(old.stalled_memory_seconds, new.stalled_memory_seconds, length),
        throttled=throttled / periods if periods and throttled is not None else None,
        swapped_in_bytes_per_second=_rate(old.swapped_in_bytes, new.swapped_in_bytes, length),
        shm_total_bytes=new.shm_total_bytes,
        shm_free_bytes=new.shm_free_bytes,
    )


def _processes(old: Sequence[ProcessWork], new: Sequence[ProcessWork], length: float) -> Iterator[ProcessStep]:
    before = {one.pid: one for one in old}
    for place, one in enumerate(new):
        was = before.get(one.pid)
        threads = dict(was.thread_seconds) if was is not None else {}
        used = [now - threads[number] for number, now in one.thread_seconds if number in threads]
        yield ProcessStep(
            pid=one.pid,
            name=one.name,
            is_first=place == 0,
            cores=_rate(was.cpu_seconds, one.cpu_seconds, length) if was is not None else None,
            busiest_thread=min(1.0, max(used) / length) if used else None,
            threads=one.threads,
            running=one.running,
            blocked=one.blocked,
            read_bytes_per_second=_rate(was.read_bytes, one.read_bytes, length) if was is not None else None,
            written_bytes_per_second=_rate(was.written_bytes, one.written_bytes, length) if was is not None else None,
            major_faults_per_second=_rate(was.major_faults, one.major_faults, length) if was is not None else None,
            swapped_bytes=one.swapped_bytes,
            waits_in=one.waits_in,
        )


def _more(old: float | None, new: float | None) -> float | None:
    """Return the increase of a counter; None if it is unknown or was reset."""
    return None if old is None or new is None or new < old else new - old


def _rate(old: float | None, new: float | None, length: float) -> float | None:
    risen = _more(old, new)
    return None if risen is None else risen / length


def _share(old: float | None, new: float | None, length: float) -> float | None:
    rate = _rate(old, new, length)
    return None if rate is None else min(1.0, rate)
