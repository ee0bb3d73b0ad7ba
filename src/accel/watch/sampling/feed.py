"""Runs an engine in a separate process and receives its ticks over a pipe, for programs with an event loop or threads.

    feed = Feed.started(machine, registry, interval_seconds=1.0)   # before the loop and its threads begin
    loop.add_reader(feed.fileno(), lambda: show(feed.received()))

The readings are the same as the engine's. If the program does not read for a long time, it misses ticks and is told so.
"""

import marshal
import os
import pickle
import time
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from accel.machine.child import Child
from accel.machine.descriptors import messages, readable, send_message
from accel.machine.kill_with_parent import KillWithParent
from accel.model.device import Device, Gap
from accel.model.errors import AccelError
from accel.vendors.contract.watching import Wanted
from accel.watch.sampling.tick import Happening, Tick, readings_of_row, row_of

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.plugins.registry import Registry

_PIECE: Final = 1 << 16
_read_happening: Final = attrgetter("kind", "text", "device")


class FeedEnded(AccelError):
    """The engine's process has ended."""


class Feed:
    """Ticks from a child process.

    devices  the devices that are watched now; gaps: what could not be read when they were listed
    """

    def __init__(self, pipe: int, ask: int, child: Child, lifeline: KillWithParent) -> None:
        self._pipe, self._ask, self._child, self._lifeline = pipe, ask, child, lifeline
        self._buffer = bytearray()
        self._ticks: list[Tick] = []
        self._begun = False
        self.devices: tuple[Device, ...] = ()
        self.gaps: tuple[Gap, ...] = ()

    @classmethod
    def started(
        cls,
        machine: "Machine",
        registry: "Registry",
        which: Sequence[str] = (),
        *,
        interval_seconds: float = 1.0,
        wanted: Wanted | None = None,
    ) -> "Feed":
        """Start the child process; return once it has listed the devices.

        Raises what Engine raises (NoSuchDevice, BadInput), and FeedEnded if the child cannot start.
        """
        read, write = os.pipe()
        ask_read, ask = os.pipe()
        lifeline = KillWithParent()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            os.close(ask)
            given = (machine, registry, which, interval_seconds, wanted or Wanted(), ask_read, write)
            _work(lambda: _feed(*given), write, lifeline)
        os.close(write)
        os.close(ask_read)
        lifeline.close_reader()
        feed = cls(read, ask, Child(pid), lifeline)
        try:
            while not feed._begun:
                feed._read()
        except BaseException:
            feed.close()
            raise
        return feed

    def __enter__(self) -> "Feed":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def fileno(self) -> int:
        """Return the file descriptor that becomes readable when a tick arrives."""
        return self._pipe

    def received(self) -> list[Tick]:
        """Return the ticks that have arrived, without waiting. Raises FeedEnded if there will be no more."""
        while self._pipe >= 0 and readable([self._pipe], 0):
            try:
                self._read()
            except FeedEnded:
                if not self._ticks:
                    raise
                break
        ticks, self._ticks = self._ticks, []
        return ticks

    def next(self, timeout_seconds: float) -> Tick | None:
        """Wait for a tick; None if none arrives in time. Raises FeedEnded."""
        if not self._ticks and readable([self._pipe], timeout_seconds):
            self._read()
        return self._ticks.pop(0) if self._ticks else None

    def want(self, wanted: Wanted) -> None:
        """Request other readings from the next tick on."""
        os.write(self._ask, bytes([wanted.links | wanted.activity << 1]))

    def close(self) -> None:
        """End the child process and its own children."""
        if self._pipe < 0:
            return
        for end in (self._pipe, self._ask):
            os.close(end)
        self._pipe = -1
        self._child.kill()
        self._lifeline.let_go()

    def _read(self) -> None:
        data = os.read(self._pipe, _PIECE)
        if not data:
            raise FeedEnded(
                f"the sampling process ended ({self._child.how_it_ended()}). Start again; see  accel doctor"
            )
        self._buffer += data
        for kind, payload in messages(self._buffer):
            self._message(kind, payload)

    def _message(self, kind: bytes, payload: bytes) -> None:
        if kind == b"e":
            error: AccelError = pickle.loads(payload)
            raise error
        if kind == b"d":
            self.devices, self.gaps = pickle.loads(payload)
            self._begun = True
        else:
            self._ticks.append(_tick(marshal.loads(payload), self.devices))


def _tick(row: Any, devices: tuple[Device, ...]) -> Tick:
    number, seconds, date, readings, happenings = row
    return Tick(
        number=number,
        seconds=seconds,
        time=date,
        devices=devices,
        readings=tuple(readings_of_row(one) for one in readings),
        happenings=tuple(Happening(kind=kind, text=text, device=device) for kind, text, device in happenings),
    )


def _work(feed: Callable[[], None], pipe: int, lifeline: KillWithParent) -> None:
    """Send ticks from the child until nobody reads them; exit without running the parent's exit handlers."""
    try:
        os.setsid()
        lifeline.tie(os.getpid())
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        try:
            feed()
        except AccelError as error:
            send_message(pipe, b"e", pickle.dumps(type(error)(str(error))))
    finally:
        os._exit(0)


def _feed(
    machine: "Machine",
    registry: "Registry",
    which: Sequence[str],
    interval_seconds: float,
    wanted: Wanted,
    ask: int,
    pipe: int,
) -> None:
    from accel.watch.sampling.engine import Engine

    with Engine(machine, registry, which, interval_seconds=interval_seconds, wanted=wanted) as engine:

        def waiting(seconds: float) -> bool:
            until = time.monotonic() + seconds
            while readable([ask], until - time.monotonic()):
                asked = os.read(ask, 64)
                if not asked:  # the parent is gone
                    return True
                engine.wanted = Wanted(links=bool(asked[-1] & 1), activity=bool(asked[-1] & 2))
            return False

        known: tuple[Device, ...] = engine.devices
        send_message(pipe, b"d", pickle.dumps((known, engine.gaps)))
        for tick in engine.ticks(waiting=waiting):
            if tick.devices is not known:
                known = tick.devices
                send_message(pipe, b"d", pickle.dumps((known, engine.gaps)))
            happened = [_read_happening(one) for one in tick.happenings]
            row = (tick.number, tick.seconds, tick.time, [row_of(one) for one in tick.readings], happened)
            send_message(pipe, b"t", marshal.dumps(row))
