"""A backend that is queried for readings repeatedly, in a child process that may hang or crash.

The child keeps the vendor's library and its handles open. It is queried by a line on one pipe, answers on another, and
records in shared memory which call it is about to make: if no answer arrives, the parent reads there what hangs, kills
the child's group without waiting for it, and starts another one without that call (accel.watch.sampling.desk).
"""

import marshal
import mmap
import os
import pickle
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.collect.probe_child import as_data
from accel.machine.child import Child
from accel.machine.descriptors import messages, send_message
from accel.machine.kill_with_parent import KillWithParent
from accel.model.device import Device, Gap
from accel.watch.sampling.asking import asked, checked_readings
from accel.watch.sampling.cached_sample import CachedSample
from accel.watch.sampling.tick import readings_of_row, row_of

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.readings import Readings
    from accel.vendors.contract.backend import Backend
    from accel.vendors.contract.watching import Wanted

Skip = frozenset[tuple[str, str | None]]

_ASK: Final = struct.Struct("<cI?")  # kind, the wanted readings' links and activity as bits, whether to list first
_MARK_BYTES: Final = 256
_MOST_BYTES: Final = 64 << 20  # of one answer


class Marker:
    """The child's Progress: what it is about to do, readable by the parent at any time."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, _MARK_BYTES)
        self._labels: dict[tuple[str, str | None], bytes] = {}

    def calling(self, call: str, device: str | None = None) -> None:
        label = self._labels.get((call, device))
        if label is None:
            told = f"{call}\t{device or ''}\n".encode()[: _MARK_BYTES - 1]
            label = self._labels[call, device] = told.ljust(_MARK_BYTES, b"\0")
        self._shared[:] = label

    def found(self, device: Device) -> None:
        pass

    def read(self) -> tuple[str, str | None] | None:
        """Return the current call and its device; None if none has started."""
        call, end, _ = self._shared[:].decode("utf-8", "replace").partition("\n")
        name, _, device = call.partition("\t")
        return (name, device or None) if end else None

    def close(self) -> None:
        self._shared.close()


class Answer:
    """A child's answer. devices: only if it was asked to list them; error: what it raised instead of answering."""

    __slots__ = ("devices", "error", "gaps", "readings")

    def __init__(self) -> None:
        self.readings: tuple[Readings, ...] = ()
        self.devices: tuple[Device, ...] | None = None
        self.gaps: tuple[Gap, ...] = ()
        self.error: str | None = None


class Worker:
    """The child of one backend.

    devices  the devices that it is asked about
    since    when the pending request was sent; None while it is idle
    """

    def __init__(
        self, backend: "Backend", machine: "Machine", devices: Sequence[Device], skip: Skip, guest: bool
    ) -> None:
        self.backend, self.machine, self.guest, self.skip = backend, machine, guest, skip
        self.devices = tuple(devices)
        self.marker = Marker()
        self.since: float | None = None
        self.has_answered = False
        self._buffer = bytearray()
        self._answer = Answer()
        self._start()

    def _start(self) -> None:
        ask_read, self._ask = os.pipe()
        self.pipe, answer_write = os.pipe()
        self._lifeline = KillWithParent()
        pid = os.fork()
        if pid == 0:
            os.close(self._ask)
            os.close(self.pipe)
            _work(self, ask_read, answer_write, self._lifeline)
        os.close(ask_read)
        os.close(answer_write)
        self._lifeline.close_reader()
        self._child = Child(pid)

    def ask(self, now: float, wanted: "Wanted", listing: bool = False) -> None:
        """Request readings; listing: list the current devices first, and read those."""
        self.since = now
        try:
            os.write(self._ask, _ASK.pack(b"s", wanted.links | wanted.activity << 1, listing))
        except BrokenPipeError:  # it has died: its own pipe says so
            pass

    def take(self) -> Answer | None:
        """Read what has arrived, without waiting; return the answer once complete. Raises EOFError for a dead child."""
        data = os.read(self.pipe, 1 << 16)
        if not data:
            raise EOFError
        self._buffer += data
        if len(self._buffer) > _MOST_BYTES:
            raise EOFError
        for kind, payload in messages(self._buffer):
            if self._message(kind, payload):
                answer, self._answer = self._answer, Answer()
                self.since, self.has_answered = None, True
                return answer
        return None

    def _message(self, kind: bytes, payload: bytes) -> bool:
        """Process one message; return whether the answer is complete."""
        if kind == b"d":
            self._answer.devices, self._answer.gaps = self._listed(payload)
            return False
        if kind == b"e":
            self._answer.error = payload.decode("utf-8", "replace")
            return True
        self._answer.readings = self._readings(payload)
        return True

    def _listed(self, payload: bytes) -> tuple[tuple[Device, ...], tuple[Gap, ...]]:
        if not self.guest:
            known: tuple[tuple[Device, ...], tuple[Gap, ...]] = pickle.loads(payload)
            return known
        from accel.plugins.answers import data_of, devices_of, gaps_of

        devices, gaps = data_of(payload)
        kind = getattr(self.backend, "device_type", Device)
        return devices_of(devices, {self.backend.name: kind}), gaps_of(gaps)

    def _readings(self, payload: bytes) -> "tuple[Readings, ...]":
        if not self.guest:
            return tuple(readings_of_row(row) for row in marshal.loads(payload))
        from accel.plugins.answers import data_of

        made = (checked_readings(readings_of_row(row)) for row in data_of(payload))
        return tuple(one for one in made if one is not None)

    def ended(self) -> str:
        """Return how a child that has closed its pipe ended: "SIGSEGV", "exit 1"."""
        return self._child.how_it_ended()

    def kill(self) -> None:
        """Kill the child and what it started, without waiting: a process stuck in the driver cannot be killed."""
        if self.pipe < 0:
            return
        for end in (self.pipe, self._ask):
            os.close(end)
        self.pipe = -1
        self._child.kill()
        self._lifeline.let_go()
        self.marker.close()

    def reap(self) -> bool:
        """Reap the killed child; return whether it is gone."""
        return self._child.reap()


def _work(worker: Worker, ask: int, answer: int, lifeline: KillWithParent) -> None:
    """Answer requests in the child until the pipe closes, then exit without running the parent's exit handlers."""
    try:
        os.setsid()
        lifeline.tie(os.getpid())
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):  # a vendor's library prints where it likes
            os.dup2(nowhere, descriptor)
        if worker.guest:
            from accel.plugins.guard import close_all_but

            close_all_but({ask, answer, lifeline.reader} - {-1})
            worker.devices = own_devices(worker.backend, worker.devices)
        kept = CachedSample()
        while data := os.read(ask, _ASK.size):
            _, bits, listing = _ASK.unpack(data)
            for kind, payload in _answered(worker, bits, listing, kept):
                send_message(answer, kind, payload)
    finally:
        os._exit(0)


def _answered(worker: Worker, bits: int, listing: bool, kept: CachedSample) -> list[tuple[bytes, bytes]]:
    from accel.vendors.contract.watching import Wanted

    sent: list[tuple[bytes, bytes]] = []
    wanted = Wanted(links=bool(bits & 1), activity=bool(bits & 2), skip=worker.skip, progress=worker.marker)
    try:
        if listing:
            devices, gaps = listed(worker.backend, worker.machine, worker.skip, worker.marker, worker.guest)
            worker.devices = devices
            sent.append((b"d", as_data((devices, gaps)) if worker.guest else pickle.dumps((devices, gaps))))
        readings = asked(worker.backend, worker.machine, worker.devices, wanted, worker.guest, kept)
        rows = [row_of(one) for one in readings]
        sent.append((b"s", as_data(rows) if worker.guest else marshal.dumps(rows)))
    except (Exception, SystemExit) as error:  # of a plugin's code, or of a row that holds no plain value
        sent.append((b"e", f"{type(error).__name__}: {error}".encode()))
    return sent


def own_devices(backend: "Backend", devices: Sequence[Device]) -> tuple[Device, ...]:
    """Return the devices as a third-party backend creates them, in a process that runs its code."""
    made = getattr(backend, "own_devices", tuple)
    return tuple(made(devices))


def listed(
    backend: "Backend", machine: "Machine", skip: Skip, progress: Any, guest: bool
) -> tuple[tuple[Device, ...], tuple[Gap, ...]]:
    """Return the devices that the backend finds now, and what it could not read."""
    from accel.collect.all_reports import all_reports
    from accel.collect.masks import masked
    from accel.model.merge import merged_devices
    from accel.model.plausible import plausible
    from accel.vendors.contract.backend import Request

    reports = all_reports(backend.probe(machine, Request(depth="devices", skip=skip, progress=progress)))
    if guest:
        from accel.plugins.validation import validate_reports

        reports = validate_reports(reports, backend.name)
    shown = [masked(plausible(report), backend, machine.environment) for report in reports]
    devices, _ = merged_devices(shown)
    return tuple(devices), tuple(gap for report in reports for gap in report.gaps)
