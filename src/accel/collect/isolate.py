"""Probes in child processes that may hang or crash, without losing what they had found.

The child runs the probe and streams each call that it starts, each device that it completes, and finally its reports.
If a call does not return, or the child dies in it, the group is killed (without waiting: a process stuck in the driver
cannot be killed), and a new child continues without that call: for that device, and for every device once it has failed
on two. A slow call is not a hang: each has its own time limit, and a probe that exceeds its own is reported as such.

The child is forked, which takes 1 to 2 ms and no new interpreter. Fork only in a process that belongs to accel (the
command line), before any vendor library is loaded.
"""

import marshal
import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.collect.probe_child import unpickled, work
from accel.machine.child import Child
from accel.machine.descriptors import messages, readable
from accel.machine.kill_with_parent import KillWithParent

if TYPE_CHECKING:  # before the fork nothing is loaded that the children can load at the same time
    from accel.collect.probe_child import Lister
    from accel.machine.adopted import Watched
    from accel.machine.protocol import Machine
    from accel.model.device import Device, Gap
    from accel.model.report import Report
    from accel.model.rows import Listing
    from accel.vendors.contract.backend import Depth, Probed

_CALL_STALL_SECONDS: Final = 1.5  # NVIDIA documents 20 ms for its slowest call; a call about one device
_START_STALL_SHARE: Final = 0.6  # of the deadline, for calls about the whole source: initialising may take seconds
_START_STALL_SECONDS: Final = 12.0  # or so much of it, but for what the other sources need after that:
_LAST_SECONDS: Final = 1.5
_LEAST_STALL_SECONDS: Final = 1.0  # a call that is given less than this is slow; whether it hangs is not known
_MOST_BYTES: Final = 64 << 20  # that one child sends
_MORE_TIME: Final = "; give more with  --timeout  or timeout_seconds"
_LEFT_SECONDS: Final = 0.2  # for a stranger's child that was killed to be gone
_REAP_TRIES: Final = 100
_REAP_TRY_SECONDS: Final = 0.001
_DETECT_STALL_SECONDS: Final = 3.0  # detect() should take 5 ms; the first import from a slow disk takes longer


class Worker:
    """A backend's probe in progress. `reports` is set once it has ended in any way.

    detecting  the child first has to find out whether such hardware is present; if not, there is nothing to report
    lister     called by the first child before the backend: if it returns a Listing, that is stored as `listing`, and
               there are no reports
    """

    def __init__(
        self,
        backend: "Probed",
        machine: "Machine",
        depth: "Depth",
        budget: float,
        detecting: bool = False,
        lister: "Lister | None" = None,
        links_only: bool = False,
    ) -> None:
        self.backend, self.machine, self.depth, self.budget = backend, machine, depth, budget
        self.links_only = links_only
        self.detecting = self.guest = detecting
        self.deadline = time.monotonic() + budget
        self.skip: frozenset[tuple[str, str | None]] = frozenset()
        self.devices: dict[str, Device] = {}
        self.lost: list[Gap] = []
        self.reports: tuple[Report, ...] | None = None
        self.left: list[Child] = []  # that were killed, and may still be in the process table
        self.lister = lister
        self.listing: Listing | None = None
        self.start()

    def start(self) -> None:
        """Fork a child that detects, if that has not been done, and probes without the calls in `skip`."""
        read, write = os.pipe()
        self.lifeline = KillWithParent()
        self.watched = _watched() if self.guest else None
        pid = os.fork()
        if pid == 0:
            os.close(read)
            lister = None if self.skip else self.lister
            seconds, guest, lifeline = self.deadline - time.monotonic(), self.guest, self.lifeline
            work(
                self.backend,
                self.machine,
                self.depth,
                self.skip,
                write,
                self.detecting,
                guest,
                lister,
                lifeline,
                seconds,
                self.watched.mark if self.watched is not None else "",
                self.links_only,
            )
        os.close(write)
        self.lifeline.close_reader()
        self.child, self.pipe, self.buffer, self.received = Child(pid), read, bytearray(), 0
        self.call: tuple[str, str | None] | None = None
        self.since = time.monotonic()

    def give_up_at(self) -> float:
        """The time at which the current call counts as hung, or the deadline passes."""
        return min(self.deadline, self.since + self._stall())

    def _stall(self) -> float:
        """How long the current call may take."""
        if self.call is not None and self.call[1] is not None:
            return _CALL_STALL_SECONDS
        most = min(_START_STALL_SECONDS, self.budget - _LAST_SECONDS)
        stall = max(self.budget * _START_STALL_SHARE, most, _LEAST_STALL_SECONDS)
        return min(stall, _DETECT_STALL_SECONDS) if self.detecting else stall

    def take(self) -> None:
        """Read what has arrived; at the end of the stream, finish."""
        data = os.read(self.pipe, 1 << 16)
        if not data:
            self._died()
            return
        self.buffer += data
        self.received += len(data)
        if self.received > _MOST_BYTES:
            self._again(f"sent more than {_MOST_BYTES >> 20} MiB")
            return
        self.since = time.monotonic()
        for kind, payload in messages(self.buffer):
            try:
                self._message(kind, payload)
            except Exception as error:  # a plugin's record may raise when it is made again
                reason = f"its report cannot be read: {type(error).__name__}: {error}; please report it to its plugin"
                self._lose("probe", None, reason, "plugin")
                self._end(())
                return

    def _message(self, kind: bytes, payload: bytes) -> None:
        if kind == b"c":
            call, _, device = payload.decode().partition("\t")
            self.call = (call, device or None)
        elif kind == b"d":
            device_record: Device = _devices_of_guest(self, payload) if self.guest else unpickled(payload)
            self.devices[device_record.id] = device_record
        elif kind == b"y":
            self.detecting = False
        elif kind == b"n":
            self._stop()
            self.reports = ()
        elif kind == b"x":  # no listing: what records need is loaded here while the child's probe makes them
            import accel.model.merge
            import accel.plugins.registry  # noqa: F401
        elif kind == b"l":
            self._stop()
            self.listing, self.reports = marshal.loads(payload), ()
        elif kind == b"r":
            self._end(_reports_of_guest(self, payload) if self.guest else unpickled(payload))

    def hung(self) -> None:
        """Kill the child; continue without the call that hangs, if there is time."""
        waited = time.monotonic() - self.since
        if waited < self._stall() and (self.devices or waited < _CALL_STALL_SECONDS):
            reason = f"the probe did not end within {self.budget:g} s{_MORE_TIME}"
            self._lose("devices", None, reason, "time")
            self._end(())
            return
        self._again(f"did not return within {waited:.1f} s", hung=True)

    def _died(self) -> None:
        self._again(f"ended the probing process ({self.child.how_it_ended()})")

    def _again(self, what: str, hung: bool = False) -> None:
        self._stop()
        call, device = self.call or ("detect" if self.detecting else "the probe's start", None)
        if self.detecting:
            advice = "; please report it to its plugin, and leave that out with  ACCEL_DISABLE: see  accel plugins list"
        elif device:
            advice = "; it is skipped for every device" if any(call == failed for failed, _ in self.skip) else ""
        else:
            advice = "; see whether the vendor's own tool answers, and the kernel log:  sudo dmesg | tail -50"
        self._lose(call, device, f"{call} {what}{advice}", "plugin" if self.detecting else "probe")
        repeated = (call, device) in self.skip
        if self.call is None or repeated or time.monotonic() >= self.deadline:
            if hung and not self.detecting:
                self._lose("devices", None, f"not all were listed within {self.budget:g} s{_MORE_TIME}", "time")
            self._end(())
            return
        again = device is not None and any(call == failed for failed, _ in self.skip)
        self.skip |= {(call, device), (call, None)} if again else {(call, device)}
        self.start()

    def _lose(self, fact: str, device: str | None, reason: str, source: str) -> None:
        """Record what is lost. source: "probe" if a driver call may be at fault, otherwise "plugin" or "time"."""
        from accel.model.device import Gap

        self.lost.append(Gap(fact=fact, reason=reason, device=device, backend=self.backend.name, source=source))

    def _end(self, reports: "Sequence[Report]") -> None:
        from accel.model.dataclass import replace
        from accel.model.report import Report

        self._stop()
        lost = tuple(self.lost)
        if not reports:
            found = tuple(self.devices.values())
            report = Report(backend=self.backend.name, source="probe", status="failed", devices=found, gaps=lost)
            self.reports = (replace(report, status="partial") if found else report,)
        elif lost:
            first = replace(reports[0], gaps=lost + reports[0].gaps)
            self.reports = (replace(first, status="partial") if first.status == "ok" else first, *reports[1:])
        else:
            self.reports = tuple(reports)

    def _stop(self) -> None:
        if self.pipe >= 0:
            os.close(self.pipe)
            self.pipe = -1
        started = self.watched.of(self.child.pid) if self.watched is not None else set()
        self.child.kill()  # and the vendor tool that it may have started
        self.lifeline.let_go()
        self.left.append(self.child)
        if self.watched is not None:
            self._end_what_is_left(started)

    def _end_what_is_left(self, started: set[int]) -> None:
        """End what a third-party probe has moved out of reach, and record it."""
        from accel.machine import adopted

        assert self.watched is not None
        self.child.ending_within(_LEFT_SECONDS)
        left = adopted.named(started | self.watched.of(self.child.pid))
        adopted.end(one.pid for one in left)
        if left:
            self._lose("probe", None, f"it left a process running: {', '.join(map(str, left))}", "plugin")

    def reap(self) -> bool:
        """Reap the children that have ended; return whether all have."""
        self.left = [child for child in self.left if not child.reap()]
        return not self.left

    def cut(self) -> None:
        """Kill the child and ignore its results."""
        if self.reports is None:
            self._stop()
            self.reports = ()


def _watched() -> "Watched":
    from accel.machine.adopted import Watched

    return Watched()


def _devices_of_guest(worker: Worker, payload: bytes) -> "Device":
    from accel.plugins.answers import data_of, devices_of

    return devices_of([data_of(payload)], _types_of(worker))[0]


def _reports_of_guest(worker: Worker, payload: bytes) -> "tuple[Report, ...]":
    """Return the reports of a third-party probe, which arrive as data."""
    from accel.plugins.answers import data_of, reports_of

    return reports_of(data_of(payload), _types_of(worker))


def _types_of(worker: Worker) -> "dict[str, type[Device]]":
    kind = getattr(worker.backend, "device_type", None)
    return {worker.backend.name: kind} if kind is not None else {}


class Probes:
    """Probes in progress."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        self._workers = workers

    def wait(self) -> "tuple[Report, ...]":
        """Return all reports in the order of the backends, no later than the deadline."""
        try:
            while waiting := [w for w in self._workers if w.reports is None]:
                patience = min(w.give_up_at() for w in waiting) - time.monotonic()
                ready = readable([w.pipe for w in waiting], patience)
                for worker in waiting:
                    if worker.pipe in ready and time.monotonic() < worker.deadline:
                        worker.take()
                    elif time.monotonic() >= worker.give_up_at():
                        worker.hung()
        except BaseException:  # interrupted: leave nothing behind
            for worker in self._workers:
                worker.cut()
            raise
        return tuple(report for worker in self._workers for report in worker.reports or ())

    def reap(self) -> None:
        """Wait for the children to be reaped, but not for one that cannot be killed."""
        for _ in range(_REAP_TRIES):
            if all(worker.reap() for worker in self._workers):
                return
            time.sleep(_REAP_TRY_SECONDS)
