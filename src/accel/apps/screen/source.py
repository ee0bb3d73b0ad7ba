"""The source of the screen's ticks: this machine, or a recording."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from accel.model.holding import RunningProcess
from accel.watch.sampling.tick import Tick

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.plugins.registry import Registry
    from accel.watch.holders.ending import Ended
    from accel.watch.sampling.record import Record

_LOOK_AGAIN_TICKS: Final = 10  # for a known process: its state may have changed
_MOST_PEOPLE: Final = 4096


class Source(Protocol):
    """Ticks, and process descriptions. replayed: whether it is a recording."""

    replayed: bool

    def who(self, pid: int) -> RunningProcess | None: ...

    def want_links(self, links: bool) -> None: ...

    def close(self) -> None: ...


class Live:
    """This machine, watched by a child process (accel.watch.sampling.feed). Start it before starting threads."""

    replayed = False

    def __init__(
        self, machine: "Machine", registry: "Registry", which: Sequence[str], interval_seconds: float, links: bool
    ) -> None:
        from accel.vendors.contract.watching import Wanted
        from accel.watch.holders.gather import Holders
        from accel.watch.sampling.feed import Feed

        wanted = Wanted(links=links, activity=True)
        self._machine = machine
        self.feed = Feed.started(machine, registry, which, interval_seconds=interval_seconds, wanted=wanted)
        self._holders = Holders(machine, registry.backends_on(machine))
        self._known: dict[int, RunningProcess | None] = {}
        self._looks = 0

    def received(self) -> list[Tick]:
        """Return the ticks that have arrived. Raises FeedEnded if no more will arrive."""
        ticks = self.feed.received()
        if ticks:
            self._looks += 1
            held = {process.pid for readings in ticks[-1].readings for process in readings.processes or ()}
            self._known = {
                pid: one for pid, one in self._known.items() if pid in held and (self._looks + pid) % _LOOK_AGAIN_TICKS
            }
        return ticks

    def who(self, pid: int) -> RunningProcess | None:
        """Return the process that a driver lists under a pid; None if it is not known here."""
        if pid not in self._known and len(self._known) < _MOST_PEOPLE:
            self._known[pid] = self._holders.listed(pid)
        return self._known.get(pid)

    def want_links(self, links: bool) -> None:
        from accel.vendors.contract.watching import Wanted

        self.feed.want(Wanted(links=links, activity=True))

    def end(self, process: RunningProcess, grace_seconds: float) -> "Ended":
        """End the process that was shown, verified by its start time. Blocks until the process has ended."""
        from accel.watch.holders.ending import Ended, end, is_own

        if is_own(self._machine, process.pid):  # the watching process: without it the screen would close
            return Ended(pid=process.pid, outcome="spared")
        return end(self._machine, (process,), grace_seconds)[0]

    def close(self) -> None:
        self.feed.close()


class Replayed:
    """A recording, played from the beginning; it can be rewound."""

    replayed = True

    def __init__(self, record: "Record", which: Sequence[str]) -> None:
        from accel.watch.sampling.replay import only

        self._record, self._which, self._only = record, which, only
        self._ticks = self._begun()
        self._next: Tick | None = None

    def _begun(self) -> Iterator[Tick]:
        return self._only(self._record.ticks(), self._record.devices, self._which)

    def next_at(self) -> float | None:
        """Return the time of the next tick in seconds; None at the end."""
        if self._next is None:
            self._next = next(self._ticks, None)
        return None if self._next is None else self._next.seconds

    def take(self) -> Tick | None:
        """Return the next tick; None at the end."""
        self.next_at()
        tick, self._next = self._next, None
        return tick

    def rewind(self) -> None:
        """Return to the beginning."""
        self._ticks, self._next = self._begun(), None

    def who(self, pid: int) -> RunningProcess | None:
        return None

    def want_links(self, links: bool) -> None:
        pass

    def close(self) -> None:
        pass


def host_name() -> str:
    """Return this machine's host name, for the title."""
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
