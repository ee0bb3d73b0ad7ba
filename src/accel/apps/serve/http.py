"""A minimal HTTP/1.1 server for reading: GET and HEAD, keep-alive connections, and strict timeouts.

Each connection costs a few hundred bytes and a timer. A connection is closed, without affecting the others, if its
request head is too slow, too long or invalid, if it has a body, or if the client does not read. If there is no room for
a new one, the connection that has been idle longest is closed, of the client that has the most. Responses are bytes
that were prepared beforehand.
"""

import asyncio
import hmac
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from accel.model.dataclass import dataclass, field

HEAD_SECONDS: Final = 10.0  # to receive a whole head, and for the client to read a response
IDLE_SECONDS: Final = 300.0  # between two requests of a keep-alive connection: Prometheus asks about every minute
MOST_HEAD: Final = 16 << 10
MOST_CONNECTIONS: Final = 512
MOST_OF_ONE: Final = 448  # connections per client
_HIGH_WATER: Final = 64 << 10
_HOST: Final = re.compile(
    r"(?:\[(?P<address>[0-9A-Fa-f:.]{2,45})\]|(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})))(?::\d{1,5})?", re.ASCII
)
_REASONS: Final = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    413: "Content Too Large",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}
_SAFE: Final = (
    "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\nX-Frame-Options: DENY\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request. path without the query; headers by lower-case name."""

    method: str
    path: str
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A response."""

    body: bytes
    kind: str = "text/plain; charset=utf-8"
    status: int = 200
    more: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Access control.

    token  required for all but the open paths; None: not required
    open   paths without data: the page itself, and the liveness check
    hosts  names by which a browser may address the server, against DNS rebinding; None: any
    """

    token: bytes | None = None
    open: frozenset[str] = frozenset()
    hosts: frozenset[str] | None = None

    def refusal(self, request: Request) -> Response | None:
        """Return the response that refuses a request; None if it is allowed."""
        if self.hosts is not None and name_of_host(request.headers.get("host", "")) not in self.hosts:
            return Response(status=403, body=b"This name is not the server's. See  accel serve --help\n")
        if self.token is None or request.path in self.open:
            return None
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self.token):
            return None
        return Response(status=401, body=b"A token is needed.\n", more={"WWW-Authenticate": "Bearer"})


class Connection(asyncio.Protocol):
    """One client. answer: returns the response to a request; connections: all open ones, including this one."""

    def __init__(self, answer: Callable[[Request], Response], gate: Gate, connections: "set[Connection]") -> None:
        self._answer, self._gate, self._connections = answer, gate, connections
        self._buffer = bytearray()
        self._transport: Any = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_full = False
        self._in_head = True  # the timeout for a head is running
        self.peer = ""
        self.asked_at = 0.0  # time of its last complete head, or of the connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self.peer = str((transport.get_extra_info("peername") or ("",))[0])
        self.asked_at = asyncio.get_running_loop().time()
        slowest = _in_the_way(self._connections, self.peer)
        if slowest is not None:
            self._connections.discard(slowest)
            slowest.abort()
        self._connections.add(self)
        self._transport.set_write_buffer_limits(high=_HIGH_WATER)
        self._wait(HEAD_SECONDS)

    def connection_lost(self, error: Exception | None) -> None:
        self._connections.discard(self)
        if self._timer is not None:
            self._timer.cancel()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._serve()

    def pause_writing(self) -> None:
        """Start the timeout because the client does not read, and stop reading its requests."""
        self._is_full = True
        self._transport.pause_reading()
        self._wait(HEAD_SECONDS)

    def resume_writing(self) -> None:
        self._is_full = False
        self._transport.resume_reading()
        self._wait(IDLE_SECONDS)
        self._serve()

    def close(self) -> None:
        self._transport.close()

    def abort(self) -> None:
        self._transport.abort()

    def _serve(self) -> None:
        while not self._is_full and not self._transport.is_closing():
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                if len(self._buffer) > MOST_HEAD:
                    self._refuse(431)
                elif self._buffer and not self._in_head:
                    self._in_head = True  # one timeout for the whole head, however slowly it arrives
                    self._wait(HEAD_SECONDS)
                return
            self._in_head = False
            self.asked_at = asyncio.get_running_loop().time()
            head = bytes(self._buffer[:end])
            del self._buffer[: end + 4]
            self._one(head, end)

    def _one(self, head: bytes, length: int) -> None:
        request = _request(head) if length <= MOST_HEAD else None
        if request is None:
            self._refuse(400)
        elif request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers:
            # The next bytes would be a body, and could be mistaken for a request: close the connection.
            self._refuse(413 if request.method in ("GET", "HEAD") else 405)
        elif request.method not in ("GET", "HEAD"):
            self._send(request, Response(status=405, body=b"Only GET and HEAD.\n", more={"Allow": "GET, HEAD"}))
        else:
            self._send(request, self._gate.refusal(request) or self._answered(request))

    def _answered(self, request: Request) -> Response:
        try:
            return self._answer(request)
        except Exception as error:  # any error costs only this response
            print(f"accel: {request.path!r} could not be answered: {type(error).__name__}", file=sys.stderr)
            return Response(status=500, body=b"This could not be answered.\n")

    def _send(self, request: Request, response: Response) -> None:
        self._wait(IDLE_SECONDS)
        stays = request.headers.get("connection", "").lower() != "close"
        body = b"" if request.method == "HEAD" else response.body
        self._transport.write(_head(response, stays) + body)
        if not stays:
            self._transport.close()

    def _refuse(self, status: int) -> None:
        self._transport.write(_head(Response(status=status, body=b""), stays=False))
        self._transport.close()

    def _wait(self, seconds: float) -> None:
        """Restart the client's timeout with this many seconds."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._transport.abort)


def _request(head: bytes) -> Request | None:
    """Parse a request head; None if it is invalid."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1.") or not words[1].startswith("/"):
        return None
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            return None
        if name.lower() in headers and name.lower() in ("host", "content-length", "authorization"):
            return None
        headers[name.lower()] = value.strip()
    if words[2] == "HTTP/1.0":
        headers.setdefault("connection", "close")
    return Request(method=words[0], path=words[1].partition("?")[0], headers=headers)


def _head(response: Response, stays: bool) -> bytes:
    more = "".join(f"{name}: {value}\r\n" for name, value in response.more.items())
    return (
        f"HTTP/1.1 {response.status} {_REASONS[response.status]}\r\nContent-Type: {response.kind}\r\n"
        f"Content-Length: {len(response.body)}\r\nConnection: {'keep-alive' if stays else 'close'}\r\n{more}{_SAFE}\r\n"
    ).encode("latin-1")


def name_of_host(host: str) -> str | None:
    """Return the name in a Host header, without the port; None if it is invalid.

    >>> name_of_host("localhost:9835"), name_of_host("[::1]:9835"), name_of_host("Node7")
    ('localhost', '::1', 'node7')
    >>> name_of_host("localhost:x.evil"), name_of_host("[::1]evil"), name_of_host("")
    (None, None, None)
    """
    found = _HOST.fullmatch(host)
    return None if found is None else (found["address"] or found["name"]).lower()


def _in_the_way(connections: "set[Connection]", peer: str) -> "Connection | None":
    """Return the connection to close in favour of a new one; None if there is room.

    It is the one idle longest, of the client with the most connections, or of this client if it has too many.
    """
    clients = Counter(one.peer for one in connections)
    if clients[peer] >= MOST_OF_ONE:
        greedy = peer
    elif len(connections) >= MOST_CONNECTIONS:
        greedy = max(clients, key=clients.__getitem__)
    else:
        return None
    return min((one for one in connections if one.peer == greedy), key=lambda one: one.asked_at)
