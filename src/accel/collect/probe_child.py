"""The child process of `isolate.py`: detects, probes, and streams each step to the parent."""

import marshal
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from accel.machine.descriptors import send_message
from accel.machine.kill_with_parent import KillWithParent

if TYPE_CHECKING:  # before the fork nothing is loaded that the children can load at the same time
    from accel.machine.protocol import Machine
    from accel.model.device import Device
    from accel.model.report import Report
    from accel.model.rows import Listing
    from accel.vendors.contract.backend import Depth, Probed

    Lister = Callable[[Machine, "Stream", float], Listing | None]


class Stream:
    """The child's Progress: writes each step to the pipe at once. guest: the name of a third-party backend."""

    def __init__(self, pipe: int, guest: str | None) -> None:
        self._pipe, self.guest = pipe, guest

    def calling(self, call: str, device: str | None = None) -> None:
        self.send(b"c", f"{call}\t{device or ''}".encode())

    def found(self, device: "Device | None") -> None:
        if self.guest:
            from accel.plugins.validation import validate_device

            device = validate_device(device, self.guest)[0]
        if device is not None:
            self.send(b"d", as_data(device) if self.guest else pickled(device))

    def send(self, kind: bytes, payload: bytes) -> None:
        send_message(self._pipe, kind, payload)


def pickled(value: object) -> bytes:
    import pickle

    return pickle.dumps(value)


def as_data(value: object) -> bytes:
    """Serialise what third-party code returned as data: the parent unpickles only what accel itself wrote."""
    import json

    from accel.model.to_builtins import plain

    return json.dumps(plain(value)).encode()


def unpickled(payload: bytes) -> Any:
    """Read what accel's own child wrote."""
    import pickle

    return pickle.loads(payload)


def work(
    backend: "Probed",
    machine: "Machine",
    depth: "Depth",
    skip: frozenset[tuple[str, str | None]],
    pipe: int,
    detecting: bool,
    guest: bool,
    lister: "Lister | None",
    lifeline: KillWithParent,
    seconds: float,
    mark: str = "",
    links_only: bool = False,
) -> None:
    """Detect, probe and send in the child, then exit without running the parent's exit handlers.

    mark  identifies what a third-party child starts
    """
    code = 1
    leave = os._exit
    try:
        os.setsid()
        lifeline.tie(os.getpid())
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):  # a vendor's library prints where it likes; stdout holds only the answer
            os.dup2(nowhere, descriptor)
        if mark:
            from accel.machine.adopted import VARIABLE
            from accel.plugins.guard import close_all_but

            close_all_but({pipe, lifeline.reader} - {-1})
            os.environ[VARIABLE] = mark
        stream = Stream(pipe, backend.name if guest else None)
        ends = time.monotonic() + seconds
        listing = _listed(lister, machine, stream, seconds) if lister is not None else None
        if lister is not None and listing is None:
            stream.send(b"x", b"")
        broken = _detected(backend, machine, stream) if detecting else ()
        if listing is not None:
            stream.send(b"l", listing)
        elif broken is not None:
            reports = broken or _probed(backend, machine, depth, skip, stream, ends, links_only)
            stream.send(b"r", as_data(reports) if guest else _sendable(backend, reports))
        code = 0
    finally:
        leave(code)


def _listed(lister: "Lister", machine: "Machine", stream: Stream, seconds: float) -> bytes | None:
    try:
        listing: Any = lister(machine, stream, seconds)
        return None if listing is None else marshal.dumps(listing)
    except Exception:  # whatever it is, the probe meets it too, and says it
        return None


def _detected(backend: "Probed", machine: "Machine", stream: Stream) -> "tuple[Report, ...] | None":
    """Tell the parent whether the hardware is present. Returns () if so, None if not, a report if detect() raised."""
    try:
        here = backend.detect(machine)
    except Exception as error:  # a plugin's code may raise anything
        return (_failed(backend, "detect", f"{type(error).__name__}: {error}"),)
    stream.send(b"y" if here else b"n", b"")
    return () if here else None


def _probed(
    backend: "Probed",
    machine: "Machine",
    depth: "Depth",
    skip: frozenset[tuple[str, str | None]],
    stream: Stream,
    ends: float,
    links_only: bool,
) -> "tuple[Report, ...]":
    from accel.collect.all_reports import all_reports
    from accel.vendors.contract.backend import Request

    seconds = ends - time.monotonic()
    request = Request(depth=depth, skip=skip, progress=stream, seconds=seconds, links_only=links_only)
    try:
        reports = all_reports(backend.probe(machine, request))
    except Exception as error:  # a plugin's probe may raise anything
        reason = f"the probe broke: {type(error).__name__}: {error}; please report it to its plugin"
        return (_failed(backend, "probe", reason),)
    if not stream.guest:
        return reports
    from accel.collect.masks import masked
    from accel.plugins.validation import validate_reports

    reports = validate_reports(reports, backend.name)
    if ("visible", None) in skip or not hasattr(backend, "visible"):
        return reports
    asked: Any = backend
    stream.calling("visible")
    return validate_reports((masked(report, asked, machine.environment) for report in reports), backend.name)


def _sendable(backend: "Probed", reports: "tuple[Report, ...]") -> bytes:
    """Serialise the reports; a report that cannot be serialised is replaced by one that says so."""
    try:
        return pickled(reports)
    except Exception as error:  # a record may hold anything that its plugin put there
        if len(reports) == 1:
            reason = f"its report cannot be sent: {type(error).__name__}: {error}; please report it to its plugin"
            return pickled((_failed(backend, "probe", reason),))
    return pickled(tuple(each for report in reports for each in unpickled(_sendable(backend, (report,)))))


def _failed(backend: "Probed", step: str, reason: str) -> "Report":
    from accel.model.device import Gap
    from accel.model.report import Report

    gap = Gap(fact=step, reason=reason, backend=backend.name)
    return Report(backend=backend.name, source=step, status="failed", gaps=(gap,))
