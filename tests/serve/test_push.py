"""Readings reach an OpenTelemetry collector under the names of the metrics; what is not known is not pushed."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from accel.apps.serve.push import Pusher
from accel.apps.serve.state import State
from accel.machine.recorded import RecordedMachine
from accel.model.device import Device
from accel.model.readings import Readings
from accel.watch.sampling.tick import Tick

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
DEVICE = Device(id="acme:0", index=0, backend="acme", vendor="Acme", kind="npu", name="N1", uuid="A-0")


@pytest.fixture
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """A collector that keeps what it is sent; its address."""
    heard: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1/metrics", heard
    server.shutdown()
    thread.join()
    server.server_close()


def test_what_is_known_is_pushed(collector: tuple[str, list[bytes]], tmp_path: Path) -> None:
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

    url, heard = collector
    (tmp_path / "files").mkdir()
    state = State(RecordedMachine(tmp_path), (), 1.0)
    readings = (Readings(id="acme:0", busy_percent=97.0, energy_joules=12.5),)
    state.take(Tick(number=0, seconds=0.0, time=1.7e9, devices=(DEVICE,), readings=readings), 0.0)
    push = Pusher(url, "node7")
    push(state)
    push.close()
    sent = ExportMetricsServiceRequest.FromString(heard[-1])
    metrics = {one.name: one for one in sent.resource_metrics[0].scope_metrics[0].metrics}
    assert set(metrics) == {"accel.device.busy_ratio", "accel.device.energy_joules"}
    point = metrics["accel.device.busy_ratio"].gauge.data_points[0]
    assert point.as_double == pytest.approx(0.97)
    assert {pair.key: pair.value.string_value for pair in point.attributes}["device"] == "acme:0"
