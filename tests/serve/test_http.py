"""The server answers what is asked properly, refuses the rest, and waits for nobody."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from accel.apps.serve import http
from accel.apps.serve.http import Connection, Gate, Request, Response

Client = tuple[asyncio.StreamReader, asyncio.StreamWriter]
LARGE = b"x" * (1 << 20)


def _answer(request: Request) -> Response:
    if request.path == "/large":
        return Response(body=LARGE)
    return Response(body=f"{request.method} {request.path}".encode())


def _serving(
    use: Callable[[Callable[[], Awaitable[Client]]], Awaitable[None]],
    gate: Gate | None = None,
    answer: Callable[[Request], Response] = _answer,
) -> None:
    """Run a server, and give `use` what connects to it."""

    async def run() -> None:
        open_ones: set[Connection] = set()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Connection(answer, gate or Gate(), open_ones), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        try:
            await use(lambda: asyncio.open_connection("127.0.0.1", port))
        finally:
            server.close()
            for one in tuple(open_ones):
                one.close()

    asyncio.run(run())


async def _told(client: Client, *lines: str) -> tuple[int, dict[str, str], bytes]:
    """Send a request; return status, headers and body."""
    reader, writer = client
    writer.write("\r\n".join((*lines, "", "")).encode("latin-1"))
    return await _heard(reader, lines[0].startswith("HEAD"))


async def _heard(reader: asyncio.StreamReader, bare: bool = False) -> tuple[int, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *rest = head.strip().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in rest)
    body = b"" if bare else await reader.readexactly(int(headers["content-length"]))
    return int(first.split(" ")[1]), headers, body


def test_a_connection_is_kept_and_requests_that_follow_each_other_are_answered_in_turn() -> None:
    async def use(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        writer.write(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b?c=1 HTTP/1.1\r\nHost: x\r\n\r\n")
        assert [(await _heard(reader))[2] for _ in range(2)] == [b"GET /a", b"GET /b"]
        status, headers, body = await _told((reader, writer), "HEAD /c HTTP/1.1", "Host: x")
        assert (status, headers["content-length"], body) == (200, "7", b"")
        assert (await _told((reader, writer), "GET /d HTTP/1.1", "Host: x", "Connection: close"))[2] == b"GET /d"
        assert await reader.read() == b""

    _serving(use)


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (("POST /a HTTP/1.1", "Host: x"), 405),
        (("DELETE /a HTTP/1.1", "Host: x"), 405),
        (("GET /a HTTP/1.1", "Host: x", "Content-Length: 5"), 413),
        (("POST /a HTTP/1.1", "Host: x", "Transfer-Encoding: chunked"), 405),
        (("POST /a HTTP/1.1", "Host: x", "Content-Length: 5"), 405),
        (("nonsense",), 400),
        (("GET http://other/ HTTP/1.1", "Host: x"), 400),
        (("GET /a HTTP/1.1", "Host: x", "no colon"), 400),
        (("GET /a HTTP/1.1", "Host: x", "Host: y"), 400),
        (("GET /a HTTP/1.1", "Host : x"), 400),
        (("GET /a SPDY/3",), 400),
        (("GET /" + "a" * 20_000 + " HTTP/1.1", "Host: x"), 400),
        (("GET /a\x00 HTTP/1.1 \xff\xfe", "Host: x"), 400),
    ],
)
def test_what_is_no_plain_request_is_refused(lines: tuple[str, ...], status: int) -> None:
    async def use(connect: Callable[[], Awaitable[Client]]) -> None:
        assert (await _told(await connect(), *lines))[0] == status
        assert (await _told(await connect(), "GET /a HTTP/1.1", "Host: x"))[0] == 200

    _serving(use)


def test_a_head_without_end_is_refused() -> None:
    async def use(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        writer.write(b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 5000)
        assert (await _heard(reader))[0] == 431

    _serving(use)


def test_a_client_that_never_reads_is_dropped_and_the_others_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "HEAD_SECONDS", 0.2)

    async def use(connect: Callable[[], Awaitable[Client]]) -> None:
        idle = [await connect() for _ in range(3)]
        for _, writer in idle:
            writer.write(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n" * 40)
        for _ in range(30):
            assert (await _told(await connect(), "GET /a HTTP/1.1", "Host: x"))[2] == b"GET /a"
            await asyncio.sleep(0.02)
        for reader, _ in idle:
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await reader.readexactly(40 * len(LARGE))

    _serving(use)


def test_a_client_that_says_nothing_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "HEAD_SECONDS", 0.1)

    async def use(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        writer.write(b"GET / HT")
        try:
            assert await asyncio.wait_for(reader.read(), 10) == b""
        except ConnectionError:  # it was told so more plainly
            pass

    _serving(use)


@pytest.mark.parametrize("bound", ["MOST_CONNECTIONS", "MOST_OF_ONE"])
def test_one_connection_too_many_takes_the_place_of_the_one_that_asked_nothing_for_longest(
    monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    monkeypatch.setattr(http, bound, 2)

    async def use(connect: Callable[[], Awaitable[Client]]) -> None:
        first, second = await connect(), await connect()
        assert (await _told(second, "GET /a HTTP/1.1", "Host: x"))[0] == 200
        assert (await _told(first, "GET /a HTTP/1.1", "Host: x"))[0] == 200
        third = await connect()
        assert (await _told(third, "GET /a HTTP/1.1", "Host: x"))[0] == 200
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await _told(second, "GET /a HTTP/1.1", "Host: x")
        assert (await _told(first, "GET /b HTTP/1.1", "Host: x"))[0] == 200

    _serving(use)


def test_of_several_clients_the_one_with_most_connections_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MOST_CONNECTIONS", 3)
    peers = ["10.0.0.1", "10.0.0.2", "10.0.0.2"]
    open_ones = {Connection(_answer, Gate(), set()) for _ in peers}
    for moment, (one, peer) in enumerate(zip(open_ones, peers, strict=True)):
        one.peer, one.asked_at = peer, float(moment)
    assert (http._in_the_way(open_ones, "10.0.0.3") or Connection(_answer, Gate(), set())).asked_at == 1.0


def test_one_byte_at_a_time_is_no_head_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "HEAD_SECONDS", 0.3)

    async def use(connect: Callable[[], Awaitable[Client]]) -> None:
        for before in (b"", b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"):
            reader, writer = await connect()
            writer.write(before)
            if before:
                await _heard(reader)
            writer.write(b"G" * 3)
            dropped = asyncio.create_task(reader.read())
            for _ in range(600):
                await asyncio.sleep(0.05)
                if dropped.done():
                    break
                writer.write(b"G")
            assert dropped.done()
            await asyncio.gather(dropped, return_exceptions=True)

    _serving(use)


def test_an_answer_that_fails_costs_itself_alone(capsys: pytest.CaptureFixture[str]) -> None:
    def fails(request: Request) -> Response:
        raise RuntimeError("x")

    async def use(connect: Callable[[], Awaitable[Client]]) -> None:
        client = await connect()
        for _ in range(2):
            status, _, body = await _told(client, "GET /a\x1b[2J HTTP/1.1", "Host: x")
            assert (status, body) == (500, b"This could not be answered.\n")

    _serving(use, answer=fails)
    said = capsys.readouterr().err
    assert "RuntimeError" in said
    assert "Traceback" not in said
    assert "\x1b[" not in said


def test_nothing_but_the_open_paths_is_told_without_the_token() -> None:
    gate = Gate(token=b"0123456789abcdef", open=frozenset({"/healthz"}))

    async def use(connect: Callable[[], Awaitable[Client]]) -> None:
        client = await connect()
        assert (await _told(client, "GET /healthz HTTP/1.1", "Host: x"))[0] == 200
        status, headers, body = await _told(client, "GET /metrics HTTP/1.1", "Host: x")
        assert (status, headers["www-authenticate"], b"metrics" in body) == (401, "bearer", False)
        for given in ("Bearer wrong", "Basic 0123456789abcdef", "Bearer 0123456789abcde", "Bearer \xff"):
            assert (await _told(client, "GET /metrics HTTP/1.1", "Host: x", f"Authorization: {given}"))[0] == 401
        right = "Authorization: Bearer 0123456789abcdef"
        assert (await _told(client, "GET /metrics HTTP/1.1", "Host: x", right))[2] == b"GET /metrics"

    _serving(use, gate)


def test_a_page_that_points_its_own_name_here_is_told_nothing() -> None:
    gate = Gate(hosts=frozenset({"localhost", "127.0.0.1", "::1"}))

    async def use(connect: Callable[[], Awaitable[Client]]) -> None:
        client = await connect()
        for host in ("localhost:9835", "127.0.0.1", "[::1]:9835"):
            assert (await _told(client, "GET /a HTTP/1.1", f"Host: {host}"))[0] == 200
        for host in (
            *(
                "evil.example",
                "evil.example:9835",
                "",
                "localhost:x.evil",
                "[::1]evil",
                "[::1]:9835.evil",
                "localhost.",
            ),
            *("localhost:9835:1", "localhost evil", "localhost@evil", "[localhost]", "127.0.0.1.evil", ":9835", "[]"),
        ):
            assert (await _told(client, "GET /a HTTP/1.1", f"Host: {host}"))[0] == 403

    _serving(use, gate)


def test_a_browser_is_told_to_load_nothing_from_elsewhere() -> None:
    async def use(connect: Callable[[], Awaitable[Client]]) -> None:
        _, headers, _ = await _told(await connect(), "GET /a HTTP/1.1", "Host: x")
        assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers

    _serving(use)
