"""The sampling engine: reads every watched device of every vendor, tick after tick, at a pace that does not drift.

    with Engine(machine, registry, interval_seconds=1.0) as engine:
        for tick in engine.ticks(count=10):
            for readings in tick.readings:
                print(readings.id, readings.busy_percent)

Each backend answers from its own child process (accel.watch.sampling.desk), so a hanging backend loses only its own
readings. The engine forks, so it needs a process of accel's own, without threads and vendor libraries: in any other
process use isolate=False; a program with its own threads uses a Feed (accel.watch.sampling.feed).
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from accel.machine.descriptors import readable
from accel.model.device import Device, Gap
from accel.model.errors import BadInput
from accel.model.merge import merged_devices
from accel.vendors.contract.watching import Wanted
from accel.watch.sampling.chosen import chosen
from accel.watch.sampling.desk import Desk
from accel.watch.sampling.tick import Happening, Tick

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.report import Report
    from accel.plugins.registry import Registry
    from accel.vendors.contract.backend import Depth

LEAST_INTERVAL_SECONDS: Final = 0.1
_LIST_SECONDS: Final = 8.0  # for the first listing
_START_SECONDS: Final = 5.0  # for the vendors' libraries to start, before the first tick
_PATIENCE_SHARE: Final = 0.8  # of the interval, for the answers of a tick
_CLOCK_JUMP_SECONDS: Final = 1.0  # difference of the two clocks that is reported


class Clock(Protocol):
    """The clocks for watching: a monotonic one for pacing, and the system's for dates."""

    def seconds(self) -> float:
        """Return the seconds of a monotonic clock."""
        ...

    def time(self) -> float:
        """Return the system's clock: seconds since 1970 in UTC."""
        ...

    def wait(self, seconds: float) -> None: ...


class LiveClock:
    """The clocks of this machine."""

    def seconds(self) -> float:
        return time.monotonic()

    def time(self) -> float:
        return time.time()

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


class Engine:
    """Watches devices until it is closed.

    which    ids, uuids or their prefixes, PCI addresses, runtime names, numbers among the accelerators, or "all" for
             every device including the CPU; empty: the accelerators, or the CPU if there are none
    depth    of the first listing: "health" also reads facts that a plain device list does not
    devices  the devices that are watched now; gaps: what could not be read when they were listed; failed: messages
             about sources that returned nothing at all
    Raises NoSuchDevice for an unknown name, BadInput for an interval under 0.1 s.
    """

    def __init__(
        self,
        machine: "Machine",
        registry: "Registry",
        which: Sequence[str] = (),
        *,
        interval_seconds: float = 1.0,
        wanted: Wanted | None = None,
        isolate: bool = True,
        depth: "Depth" = "devices",
        clock: Clock | None = None,
    ) -> None:
        if not interval_seconds >= LEAST_INTERVAL_SECONDS:
            raise BadInput(f"the interval is {interval_seconds:g} s. Give at least {LEAST_INTERVAL_SECONDS:g} s.")
        self.wanted = wanted or Wanted()
        self.interval_seconds = interval_seconds
        isolate = isolate and hasattr(os, "fork")
        self._clock = clock or LiveClock()
        listed = _listed(machine, registry, isolate, depth)
        devices, _ = merged_devices(listed)
        self.gaps: tuple[Gap, ...] = tuple(gap for report in listed for gap in report.gaps)
        self.failed = tuple(
            f"{gap.backend or gap.source}: {gap.reason}" for one in listed if one.status == "failed" for gap in one.gaps
        )
        first, is_wanted = chosen(devices, which)
        self._desks = _desks(machine, registry, first, is_wanted, isolate, self._clock.seconds())
        self.devices: tuple[Device, ...] = tuple(device for desk in self._desks for device in desk.devices)
        self._number = 0
        self._happened: list[Happening] = []
        self._start_libraries()
        self._began = self._clock.seconds()
        self._offset = self._clock.time() - self._began

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self) -> Tick:
        """Take a tick now. Waits for the answers, but at most until the interval has passed."""
        clock = self._clock
        now = clock.seconds()
        seconds, date = now - self._began, clock.time()
        for desk in self._desks:
            desk.ask(now, self.wanted)
        self._wait(now + self.interval_seconds * _PATIENCE_SHARE)
        now = clock.seconds()
        readings, happened = [], self._take_happened(date, seconds)
        for desk in self._desks:
            found, new = desk.settle(now)
            readings += found
            happened += new
        devices = tuple(device for desk in self._desks for device in desk.devices)
        if devices != self.devices:  # one object as long as they are the same: who gets ticks compares by it
            self.devices = devices
        number, self._number = self._number, self._number + 1
        return Tick(
            number=number,
            seconds=seconds,
            time=date,
            devices=self.devices,
            readings=tuple(readings),
            happenings=tuple(happened),
        )

    def ticks(self, count: int | None = None, waiting: Callable[[float], bool] | None = None) -> Iterator[Tick]:
        """Yield a tick immediately and then one per interval, `count` of them or without end.

        Each is due at a multiple of the interval after the first, so a delay does not shift later ticks. If this
        process was suspended for several intervals, their ticks are skipped and reported.
        waiting  waits for a number of seconds; if it returns True, watching ends. None: the clock's own
        """
        due = self._clock.seconds()
        taken = 0
        while count is None or taken < count:
            yield self.take()
            taken += 1
            if count is not None and taken >= count:
                return
            due += self.interval_seconds
            late = self._clock.seconds() - due
            if late > self.interval_seconds:
                missed = int(late / self.interval_seconds)
                due += missed * self.interval_seconds
                self._happened.append(Happening(kind="missed", text=f"{missed} ticks were missed: nothing was queried"))
            rest = max(0.0, due - self._clock.seconds())
            if waiting is None:
                self._clock.wait(rest)
            elif waiting(rest):
                return

    def close(self) -> None:
        """End the child processes."""
        for desk in self._desks:
            desk.close()

    def _start_libraries(self) -> None:
        """Initialise every child's vendor library before the first tick, which would otherwise wait for it."""
        now = self._clock.seconds()
        for desk in self._desks:
            desk.ask(now, Wanted())
        self._wait(now + _START_SECONDS)
        for desk in self._desks:
            desk.settle(self._clock.seconds())

    def _wait(self, until: float) -> None:
        """Read the answers as they arrive, until all are complete or the time is up."""
        clock = self._clock
        while any(desk.is_waiting() for desk in self._desks):
            now = clock.seconds()
            ends = min((end for desk in self._desks if (end := desk.give_up_at()) is not None), default=until)
            pipes = {pipe: desk for desk in self._desks for pipe in desk.pipes()}
            ready = readable(pipes, min(ends, until) - now)
            now = clock.seconds()
            for pipe in ready:
                pipes[pipe].take(pipe, now)
            for desk in self._desks:
                desk.check(now)
            if now >= until:
                break
        self._drain()

    def _drain(self) -> None:
        """Read what trials have sent, and give up on those that hang, without waiting."""
        now = self._clock.seconds()
        while pipes := {pipe: desk for desk in self._desks for pipe in desk.pipes()}:
            ready = readable(pipes, 0)
            if not ready:
                break
            for pipe in ready:
                pipes[pipe].take(pipe, now)
        for desk in self._desks:
            desk.check(now)

    def _take_happened(self, date: float, seconds: float) -> list[Happening]:
        """Return events about time itself since the last tick."""
        happened, self._happened = self._happened, []
        offset = date - (self._began + seconds)
        jump = offset - self._offset
        if abs(jump) > _CLOCK_JUMP_SECONDS:
            self._offset = offset
            way = "forward" if jump > 0 else "back"
            happened.append(Happening(kind="clock", text=f"the system's clock went {way} by {abs(jump):.1f} s"))
        return happened


def _listed(machine: "Machine", registry: "Registry", isolate: bool, depth: "Depth") -> "Sequence[Report]":
    from accel.collect.live import reports

    return reports(machine, registry, depth=depth, isolate=isolate, timeout_seconds=_LIST_SECONDS)


def _desks(
    machine: "Machine",
    registry: "Registry",
    devices: Sequence[Device],
    wanted: Callable[[Device], bool],
    isolate: bool,
    now: float,
) -> list[Desk]:
    desks = []
    for name in dict.fromkeys(device.backend for device in devices):
        backend = registry.backend(name)
        if backend is None:  # the device came out of a text
            continue
        own = [device for device in devices if device.backend == name]
        guest = name in registry.guests
        desks.append(Desk(backend, machine, own, wanted=wanted, isolate=isolate, guest=guest, now=now))
    return desks
