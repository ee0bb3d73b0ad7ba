"""Pushes readings to an OpenTelemetry collector, if its library is installed (extra `otlp`).

The names are those of the Prometheus metrics, with dots: accel.device.busy_ratio. The library pushes from its own
thread, using the state that the server's loop maintains; it queries no device.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from accel.apps.serve.metrics import gauges
from accel.apps.serve.state import State

_MILLISECONDS: Final = 15_000  # between two pushes
_CLOSE_MILLISECONDS: Final = 3_000
_UNITS: Final = (("_ratio", "1"), ("_bytes", "By"), ("_celsius", "Cel"), ("_watts", "W"), ("_hertz", "Hz"))


class Pusher:
    """Pushes a state, from the first one it receives until it is closed.

    url  the collector's endpoint for metrics over HTTP: "http://127.0.0.1:4318/v1/metrics"
    """

    def __init__(self, url: str, host: str) -> None:
        self._url, self._host = url, host
        self._provider: Any = None

    def __call__(self, state: State) -> None:
        if self._provider is None:
            self._provider = self._begun(state)

    def close(self) -> None:
        """Push the latest readings and stop."""
        if self._provider is not None:
            self._provider.shutdown(timeout_millis=_CLOSE_MILLISECONDS)

    def _begun(self, state: State) -> Any:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource

        reader = PeriodicExportingMetricReader(
            OTLPMetricExporter(endpoint=self._url), export_interval_millis=_MILLISECONDS
        )
        resource = Resource.create({"service.name": "accel", "host.name": self._host})
        provider = MeterProvider(metric_readers=[reader], resource=resource)
        _instruments(provider.get_meter("accel"), state)
        return provider


def _instruments(meter: Any, state: State) -> None:
    from opentelemetry.metrics import Observation

    def observing(reading: str, factor: float) -> Callable[[Any], Iterable[Any]]:
        def observe(_: Any) -> Iterable[Any]:
            tick = state.tick
            if tick is None:
                return
            for device, readings in zip(tick.devices, tick.readings, strict=True):
                value = getattr(readings, reading)
                if value is not None:
                    about = {"device": device.id, "uuid": device.uuid or "", "name": device.name or ""}
                    yield Observation(value * factor, about | {"vendor": device.vendor})

        return observe

    for metric, reading, factor, about in gauges():
        unit = next((unit for ending, unit in _UNITS if metric.endswith(ending)), "By/s")
        name = metric.replace("_", ".", 2)
        meter.create_observable_gauge(name, callbacks=[observing(reading, factor)], unit=unit, description=about)
    meter.create_observable_counter(
        "accel.device.energy_joules",
        callbacks=[observing("energy_joules", 1.0)],
        unit="J",
        description="Energy since the driver's start.",
    )
