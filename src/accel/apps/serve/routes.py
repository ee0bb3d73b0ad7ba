"""Maps request paths to responses."""

from collections.abc import Callable
from pkgutil import get_data
from typing import Final
from urllib.parse import unquote

from accel.apps.serve.http import Request, Response
from accel.apps.serve.metrics import Metrics
from accel.apps.serve.state import State, busy_answer, devices_answer, findings_answer, history_answer, readings_answer
from accel.model.errors import AccelError
from accel.model.to_builtins import json_text

JSON: Final = "application/json; charset=utf-8"
OPEN: Final = frozenset({"/", "/live.js", "/live.css", "/healthz"})  # paths that reveal nothing about the devices
_PAGE: Final = {
    "/": ("live.html", "text/html; charset=utf-8"),
    "/live.js": ("live.js", "text/javascript; charset=utf-8"),
    "/live.css": ("live.css", "text/css; charset=utf-8"),
}
_PLACES: Final = b"Here are: / /metrics /api/devices /api/readings /api/history /api/findings /healthz\n"
_HISTORY: Final = "/api/history/"


class Routes:
    """Answers requests from a state. seconds: the clock that is also used for ticks."""

    def __init__(self, state: State, metrics: Metrics, seconds: Callable[[], float]) -> None:
        self._state, self._metrics, self._seconds = state, metrics, seconds
        self._page = {path: Response(body=_file(name), kind=kind) for path, (name, kind) in _PAGE.items()}

    def answer(self, request: Request) -> Response:
        path = request.path
        if path in self._page:
            return self._page[path]
        if path == "/metrics":
            try:
                body, kind = self._metrics.text(request.headers.get("accept", ""))
            except ValueError:
                return Response(status=400, body=b"This Accept header names no form of metrics.\n")
            return Response(body=body, kind=kind)
        if path == "/healthz":
            return self._health()
        if path.startswith(_HISTORY):
            return self._history(unquote(path.removeprefix(_HISTORY)))
        make = {
            "/api/devices": devices_answer,
            "/api/readings": readings_answer,
            "/api/history": busy_answer,
            "/api/findings": findings_answer,
        }.get(path)
        if make is None:
            return Response(status=404, body=_PLACES)
        return Response(body=self._state.made(path, make), kind=JSON)

    def _history(self, device: str) -> Response:
        if device not in self._state.history.devices:
            return Response(status=404, body=b"No such device. See  /api/devices\n")
        body = self._state.made(f"history {device}", lambda state: history_answer(state, device) or b"")
        return Response(body=body, kind=JSON)

    def _health(self) -> Response:
        now = self._seconds()
        alive, age = self._state.is_alive(now), self._state.age_seconds(now)
        body = {"status": "ok" if alive else "no readings", "age_seconds": None if age is None else round(age, 1)}
        return Response(status=200 if alive else 503, body=(json_text(body) + "\n").encode(), kind=JSON)


def _file(name: str) -> bytes:
    data = get_data("accel.apps.serve", name)
    if data is None:
        raise AccelError(f"accel's file serve/{name} is missing. Reinstall accel-sdk.")
    return data
