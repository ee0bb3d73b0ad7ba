"""The server's loop: one thread that receives ticks from the sampling process, serves requests, and runs the doctor.

No device is queried here: the engine runs in its own process, each vendor's library in another, the doctor in another
one.
"""

import asyncio
import json
import os
import signal
import socket
import ssl
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.apps.serve.http import HEAD_SECONDS, Connection, Gate
from accel.apps.serve.metrics import Metrics
from accel.apps.serve.routes import Routes
from accel.apps.serve.state import State
from accel.machine.beside import Beside
from accel.model.dataclass import dataclass
from accel.model.errors import AccelError, BadInput
from accel.watch.sampling.feed import Feed, FeedEnded

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.vendors.contract.metric_names import MetricNames

_DOCTOR: Final = ("-m", "accel", "doctor", "--json")
_DOCTOR_SECONDS: Final = 60.0  # timeout of a diagnosis
_LOOK_SECONDS: Final = 1.0  # between two checks whether ticks still arrive
_BACKLOG: Final = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The server's options.

    findings_seconds  between two diagnoses; None: no diagnoses
    export            called with each tick, for exporters that push; None: no export
    """

    gate: Gate
    names: "Sequence[MetricNames]" = ()
    host: str = ""
    processes: bool = False
    interval_seconds: float = 1.0
    findings_seconds: float | None = 600.0
    tls: ssl.SSLContext | None = None
    export: "Callable[[State], None] | None" = None


def listening(host: str, port: int, asked: str, otherwise: str) -> tuple[socket.socket, str]:
    """Return a socket that listens at this address, and "HOST:PORT" as written in a URL.

    Raises BadInput, with what the user asked for and can do otherwise.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        made = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"{asked}: {reason.rstrip('.')}. {otherwise}") from None
    made.setblocking(False)
    return made, f"{f'[{host}]' if ':' in host else host}:{made.getsockname()[1]}"


def serve(
    machine: "Machine", feed: Feed, listener: socket.socket, asked: Asked, ready: "Callable[[], None]" = lambda: None
) -> None:
    """Serve until a signal. Raises FeedEnded if the sampling process ends.

    Once `ready` is called, a signal shuts down cleanly.
    """
    asyncio.run(_Server(machine, feed, listener, asked).run(ready))


class _Server:
    def __init__(self, machine: "Machine", feed: Feed, listener: socket.socket, asked: Asked) -> None:
        self._feed, self._listener, self._asked = feed, listener, asked
        self._machine = machine
        self._state = State(machine, feed.gaps, asked.interval_seconds)
        self._metrics = Metrics(self._state, asked.names, asked.host, asked.processes)
        self._metrics.text("")  # its imports take longer than fifty responses: do them before the first request
        self._refresh: asyncio.Task[None] | None = None
        self._routes = Routes(self._state, self._metrics, time.monotonic)
        self._connections: set[Connection] = set()
        self._doctor: Beside | None = None

    async def run(self, ready: "Callable[[], None]") -> None:
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            loop.add_signal_handler(getattr(signal, name), _end, ended)
        loop.add_reader(self._feed.fileno(), self._take, ended)
        server = await loop.create_server(
            lambda: Connection(self._routes.answer, self._asked.gate, self._connections),
            sock=self._listener,
            ssl=self._asked.tls,
            ssl_handshake_timeout=HEAD_SECONDS if self._asked.tls else None,
        )
        if self._asked.findings_seconds is not None:
            loop.call_soon(self._ask_doctor)
        loop.call_later(_LOOK_SECONDS, self._expire)
        ready()
        try:
            await ended
        finally:
            loop.remove_reader(self._feed.fileno())
            server.close()
            for connection in tuple(self._connections):
                connection.close()
            self._end_doctor()

    def _take(self, ended: "asyncio.Future[None]") -> None:
        """Receive the ticks that have arrived."""
        try:
            for tick in self._feed.received():
                self._state.take(tick, time.monotonic())
                if self._asked.export is not None:
                    self._asked.export(self._state)
            self._make()
        except FeedEnded as error:
            asyncio.get_running_loop().remove_reader(self._feed.fileno())
            if not ended.done():
                ended.set_exception(error)

    def _make(self) -> None:
        """Render the metrics of the current state."""
        if self._refresh is None or self._refresh.done():
            self._refresh = asyncio.get_running_loop().create_task(self._metrics.refresh())

    def _expire(self) -> None:
        asyncio.get_running_loop().call_later(_LOOK_SECONDS, self._expire)
        if self._state.expire(time.monotonic()):
            self._make()

    def _ask_doctor(self) -> None:
        """Start a diagnosis in its own process, and schedule the next one."""
        loop = asyncio.get_running_loop()
        if self._asked.findings_seconds is not None:
            loop.call_later(self._asked.findings_seconds, self._ask_doctor)
        self._end_doctor()
        try:
            self._doctor = Beside((sys.executable, *_DOCTOR), self._machine.environment)
        except OSError:  # no process can be started now: keep the last diagnosis
            return
        loop.add_reader(self._doctor.fileno(), self._hear_doctor, self._doctor)
        loop.call_later(_DOCTOR_SECONDS, self._end_doctor, self._doctor)

    def _hear_doctor(self, doctor: Beside) -> None:
        text = doctor.take()
        if text is None:
            return
        self._end_doctor(doctor)
        diagnosis = _object(text)
        if diagnosis is not None:
            self._state.judge(diagnosis, time.time())

    def _end_doctor(self, doctor: Beside | None = None) -> None:
        if self._doctor is None or doctor not in (None, self._doctor):
            return
        asyncio.get_running_loop().remove_reader(self._doctor.fileno())
        self._doctor.close()
        self._doctor = None


def _end(ended: "asyncio.Future[None]") -> None:
    if not ended.done():
        ended.set_result(None)


def _object(text: bytes) -> dict[str, Any] | None:
    """Return the diagnosis that the doctor printed; None if it printed none."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) and "findings" in found else None


def tls_context(certificate: str, key: str | None) -> ssl.SSLContext:
    """Return a TLS context for these files. Raises AccelError if they cannot be used."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise AccelError(
            f"{certificate}: it cannot be used for TLS: {error}. Give a certificate and its key, both in PEM:  "
            "--tls-cert FILE --tls-key FILE"
        ) from None
    return context


def host_name() -> str:
    """Return this machine's host name."""
    return os.uname().nodename if hasattr(os, "uname") else socket.gethostname()
