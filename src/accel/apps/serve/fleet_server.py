"""Serves the metrics of the last round from its own thread while the next round runs."""

import asyncio
import socket
import time
from threading import Thread
from typing import Final

from accel.apps.serve.fleet_metrics import FleetMetrics, WatchedRound
from accel.apps.serve.http import Connection, Gate, Request, Response
from accel.model.to_builtins import json_text

_PLACES: Final = b"Here are: /metrics /healthz\n"
_LATE: Final = 3.0  # multiples of the time between rounds, after which the server is unhealthy


class FleetServer:
    """Answers requests until the block is left. every_seconds: time between two rounds."""

    def __init__(self, listener: socket.socket, gate: Gate, every_seconds: float) -> None:
        self._listener, self._gate, self._every = listener, gate, every_seconds
        self._metrics: FleetMetrics | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._run, name="accel fleet watch", daemon=True)

    def __enter__(self) -> "FleetServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def show(self, watched: WatchedRound) -> None:
        """Serve this round from now on."""
        made = FleetMetrics(watched)
        made.text("")  # so that the first request need not wait for it
        self._metrics = made

    def _run(self) -> None:
        connections: set[Connection] = set()
        server = self._loop.run_until_complete(
            self._loop.create_server(lambda: Connection(self._answer, self._gate, connections), sock=self._listener)
        )
        self._loop.run_forever()
        server.close()
        for connection in tuple(connections):
            connection.abort()
        self._loop.run_until_complete(asyncio.sleep(0))

    def _answer(self, request: Request) -> Response:
        metrics = self._metrics
        if request.path == "/healthz":
            return self._health(metrics)
        if request.path != "/metrics":
            return Response(status=404, body=_PLACES)
        if metrics is None:
            return Response(status=503, body=b"The first round has not ended.\n")
        try:
            body, kind = metrics.text(request.headers.get("accept", ""))
        except ValueError:
            return Response(status=400, body=b"This Accept header names no form of metrics.\n")
        return Response(body=body, kind=kind)

    def _health(self, metrics: FleetMetrics | None) -> Response:
        age = None if metrics is None else max(time.time() - metrics.watched.moment - metrics.watched.seconds, 0.0)
        well = age is not None and age <= _LATE * self._every + 60
        told = {"status": "ok" if well else "no round", "age_seconds": None if age is None else round(age, 1)}
        body = (json_text(told) + "\n").encode()
        return Response(status=200 if well else 503, body=body, kind="application/json; charset=utf-8")
