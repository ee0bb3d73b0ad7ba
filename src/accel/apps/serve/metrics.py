"""The last tick as Prometheus metrics, using prometheus_client. Unknown values have no sample, never 0 or a stale one.

Ratios are 0 to 1, clocks in hertz, everything else in the units of accel's records. docs/metrics.md lists every name.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from accel.apps.serve.forms import Forms
from accel.apps.serve.state import State
from accel.model.device import Device
from accel.model.readings import Readings

if TYPE_CHECKING:
    from accel.model.holding import RunningProcess
    from accel.vendors.contract.metric_names import MetricNames

Labels = tuple[str, ...]

DEVICE_LABELS: Final = ("device", "uuid", "name", "vendor", "parent")
PROCESS_LABELS: Final = ("pid", "process", "user", "container", "namespace", "pod", "scheduler", "job")
STATES: Final = ("ok", "late", "hung", "gone", "failed")
HEALTHS: Final = ("ok", "warning", "critical", "unknown")


@cache
def gauges() -> tuple[tuple[str, str, float, str], ...]:
    """Return the gauges of a device: the metric's name, the reading, what it is multiplied by, and its help."""
    from accel.specs import load

    rows = load().table("system/gauges")["gauges"]
    return tuple((row["name"], row["reading"], float(row.get("factor", 1)), row["help"]) for row in rows)


class Metrics:
    """Renders the metrics of a state.

    They are rendered after each tick, one family at a time, so that requests are served in between; meanwhile requests
    get those of the previous tick. Only formats that were requested recently are rendered.

    names      additional names, of other exporters; host: this machine's name, for their labels
    processes  whether each process has its own metrics
    """

    def __init__(self, state: State, names: "Sequence[MetricNames]", host: str, processes: bool) -> None:
        self._state, self._names, self._host, self._processes = state, tuple(names), host, processes
        self._forms = Forms(self.collect, lambda: state.ticks)

    def text(self, accept: str) -> tuple[bytes, str]:
        """Return the metrics in the requested format, and its content type. Raises ValueError if accept is invalid."""
        return self._forms.text(accept)

    async def refresh(self) -> None:
        """Render the metrics of the last tick in the formats in use."""
        await self._forms.refresh()

    def collect(self) -> Iterator[Any]:
        """Yield the families, for prometheus_client."""
        tick = self._state.tick
        yield from _of_watching(self._state)
        if tick is None:
            return
        pairs = list(zip(tick.devices, tick.readings, strict=True))
        labels = {device.id: _device_labels(device) for device in tick.devices}
        yield from _of_devices(pairs, labels)
        if self._processes:
            yield from _of_processes(self._state, pairs)
        yield from _of_findings(self._state.findings)
        for names in self._names:
            yield from _of_others(names, pairs, self._host)


def _device_labels(device: Device) -> Labels:
    return device.id, device.uuid or "", device.name or "", device.vendor, device.parent or ""


def _of_watching(state: State) -> Iterator[Any]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily

    import accel

    yield InfoMetricFamily("accel_build", "The version of accel.", {"version": accel.__version__})
    ticks = CounterMetricFamily("accel_ticks", "Ticks taken since it was started.")
    ticks.add_metric((), state.ticks)
    yield ticks
    if state.tick is not None:
        moment = GaugeMetricFamily("accel_tick_timestamp_seconds", "When the readings were taken.")
        moment.add_metric((), state.tick.time)
        yield moment
    happened = CounterMetricFamily("accel_happenings", "What was out of the ordinary.", labels=("kind", "device"))
    for (kind, device), count in sorted(state.happened.items()):
        happened.add_metric((kind, device), count)
    yield happened


def _of_devices(pairs: Sequence[tuple[Device, Readings]], labels: Mapping[str, Labels]) -> Iterator[Any]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    for metric, reading, factor, about in gauges():
        family = GaugeMetricFamily(metric, about, labels=DEVICE_LABELS)
        for device, readings in pairs:
            value = getattr(readings, reading)
            if value is not None:
                family.add_metric(labels[device.id], round(value * factor, 6))
        if family.samples:
            yield family
    energy = CounterMetricFamily("accel_device_energy_joules", "Energy since the driver's start.", labels=DEVICE_LABELS)
    held = GaugeMetricFamily("accel_device_processes", "Processes on the device.", labels=DEVICE_LABELS)
    state = GaugeMetricFamily("accel_device_state", "1 of its state now.", labels=(*DEVICE_LABELS, "state"))
    health = GaugeMetricFamily("accel_device_health", "1 of its health now.", labels=(*DEVICE_LABELS, "health"))
    down = GaugeMetricFamily(
        "accel_device_clock_held_down", "1 for what limits its clocks.", labels=(*DEVICE_LABELS, "reason")
    )
    for device, readings in pairs:
        own = labels[device.id]
        if readings.energy_joules is not None:
            energy.add_metric(own, readings.energy_joules)
        if readings.processes is not None:
            held.add_metric(own, len(readings.processes))
        for name in STATES:
            state.add_metric((*own, name), float(readings.state == name))
        for name in HEALTHS:
            health.add_metric((*own, name), float(readings.health == name))
        for reason in readings.clock_event_reasons or ():
            down.add_metric((*own, reason), 1.0)
    yield from (family for family in (energy, held, state, health, down) if family.samples)


def _of_processes(state: State, pairs: Iterable[tuple[Device, Readings]]) -> Iterator[Any]:
    from prometheus_client.core import GaugeMetricFamily

    labels = ("device", *PROCESS_LABELS)
    memory = GaugeMetricFamily("accel_process_memory_bytes", "A device's memory used by a process.", labels=labels)
    busy = GaugeMetricFamily("accel_process_busy_ratio", "How busy a process kept a device.", labels=labels)
    for device, readings in pairs:
        for process in readings.processes or ():
            own = (device.id, *_process_labels(process.pid, process.name, process.user, state.process(process.pid)))
            if process.memory_bytes is not None:
                memory.add_metric(own, process.memory_bytes)
            if process.busy_percent is not None:
                busy.add_metric(own, process.busy_percent / 100)
    yield from (family for family in (memory, busy) if family.samples)


def _process_labels(pid: int, name: str | None, user: str | None, who: "RunningProcess | None") -> Labels:
    container = (who.container_name or who.container) if who is not None else None
    belongs = (who.pod_namespace, who.pod, who.scheduler, who.job) if who is not None else (None,) * 4
    return tuple(value or "" for value in (str(pid), name, user, container, *belongs))


def _of_findings(findings: Mapping[str, Any] | None) -> Iterator[Any]:
    from prometheus_client.core import GaugeMetricFamily

    if findings is None:
        return
    family = GaugeMetricFamily(
        "accel_finding", "1 for each finding of the doctor.", labels=("code", "name", "severity", "device")
    )
    seen = set()
    for finding in findings.get("findings", ()):
        for device in finding.get("devices") or ("",):
            key = (str(finding.get("code")), str(finding.get("name")), str(finding.get("severity")), str(device))
            if key not in seen:
                seen.add(key)
                family.add_metric(key, 1.0)
    yield family


def _of_others(names: "MetricNames", pairs: Sequence[tuple[Device, Readings]], host: str) -> Iterator[Any]:
    from prometheus_client.core import Metric

    labels = {device.id: dict(names.labels(device, host)) for device, _ in pairs}
    for one in names.names:
        # A family of type counter would add "_total" to the name, which these exporters do not use.
        family = Metric(one.name, one.help, "gauge" if one.kind == "gauge" else "unknown")
        for device, readings in pairs:
            value = getattr(readings, one.reading)
            if value is not None:
                family.add_sample(one.name, labels[device.id], round(value * one.factor, 6))
        if family.samples:
            yield family
