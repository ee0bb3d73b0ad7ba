"""A round over many nodes as Prometheus metrics, labelled by node. Unknown values have no sample."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.apps.serve.forms import Forms
from accel.apps.serve.metrics import gauges
from accel.fleet.model import ANSWERED
from accel.model.dataclass import dataclass, field

if TYPE_CHECKING:
    from accel.fleet.changes import Seen
    from accel.fleet.model import Merged

_COUNTS: Final = (  # reading, help
    ("corrected_errors", "Errors of memory that were corrected, as the device counts them."),
    ("uncorrected_errors", "Errors of memory that were not."),
    ("pcie_replays", "Packets that were sent again over the bus."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedRound:
    """A round, and the state kept since earlier ones. changes: number of changes of each kind since the start."""

    merged: "Merged"
    seen: "Mapping[str, Seen]"
    number: int
    moment: float
    seconds: float
    changes: Mapping[str, int] = field(default_factory=dict)


class FleetMetrics:
    """The metrics of one round. They never change, so each text format is rendered once."""

    def __init__(self, watched: WatchedRound) -> None:
        self.watched = watched
        self._forms = Forms(self.collect, lambda: 0)

    def text(self, accept: str) -> tuple[bytes, str]:
        """Return the metrics in the requested format, and its content type. Raises ValueError if accept is invalid."""
        return self._forms.text(accept)

    def collect(self) -> Iterator[Any]:
        """Yield the families, for prometheus_client."""
        yield from _of_rounds(self.watched)
        yield from _of_nodes(self.watched)
        yield from _of_findings(self.watched)
        yield from _of_devices(self.watched)


def _of_rounds(watched: WatchedRound) -> Iterator[Any]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    rounds = CounterMetricFamily("accel_fleet_rounds", "Rounds since it was started.")
    rounds.add_metric((), watched.number)
    yield rounds
    yield GaugeMetricFamily("accel_fleet_round_timestamp_seconds", "When the round began.", value=watched.moment)
    yield GaugeMetricFamily("accel_fleet_round_seconds", "How long it took.", value=round(watched.seconds, 3))
    nodes = GaugeMetricFamily("accel_fleet_nodes", "Nodes by their state.", labels=("state",))
    for state, count in watched.merged.totals.items():
        nodes.add_metric((state,), count)
    yield nodes
    changes = CounterMetricFamily("accel_fleet_changes", "Changes since it was started.", labels=("kind",))
    for kind, count in sorted(watched.changes.items()):
        changes.add_metric((kind,), count)
    yield changes


def _of_nodes(watched: WatchedRound) -> Iterator[Any]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    up = GaugeMetricFamily("accel_fleet_node_up", "1 where the node answered, 0 where it did not.", labels=("node",))
    state = GaugeMetricFamily("accel_fleet_node_state", "1 of its state now.", labels=("node", "state"))
    ill = GaugeMetricFamily("accel_fleet_node_ill", "1 where an answer has warnings or errors.", labels=("node",))
    took = GaugeMetricFamily("accel_fleet_node_answer_seconds", "How long its answer took.", labels=("node",))
    for row in watched.merged.rows:
        up.add_metric((row.node,), float(row.state in ANSWERED))
        state.add_metric((row.node, row.state), 1.0)
        if row.state in ANSWERED:
            ill.add_metric((row.node,), float(row.state == "ill"))
        if row.seconds is not None and row.state in ANSWERED:
            took.add_metric((row.node,), row.seconds)
    lost = CounterMetricFamily("accel_fleet_node_lost", "How often the node vanished.", labels=("node",))
    heard = GaugeMetricFamily("accel_fleet_node_heard_timestamp_seconds", "Its last answer.", labels=("node",))
    for node, one in watched.seen.items():
        lost.add_metric((node,), one.times_lost)
        if one.heard_at is not None:
            heard.add_metric((node,), one.heard_at)
    version = GaugeMetricFamily("accel_fleet_node_version", "1 of each version.", labels=("node", "what", "version"))
    for row in watched.merged.rows:
        for what, value in row.versions.items():
            version.add_metric((row.node, what, value), 1.0)
    yield from (up, state, ill, took, lost, heard, version)


def _of_findings(watched: WatchedRound) -> Iterator[Any]:
    from prometheus_client.core import GaugeMetricFamily

    labels = ("node", "code", "name", "severity", "device")
    family = GaugeMetricFamily("accel_fleet_finding", "1 for each finding of a node.", labels=labels)
    for row in watched.merged.rows:
        own = ((one.code, one.name, one.severity, device) for one in row.findings for device in one.devices or ("",))
        for key in dict.fromkeys(own):
            family.add_metric((row.node, *key), 1.0)
    yield family
    outliers = GaugeMetricFamily(
        "accel_fleet_outlier",
        ("1 for a reading that differs from similar devices."),
        labels=("node", "device", "reading"),
    )
    for one in watched.merged.outliers:
        outliers.add_metric((one.node, one.device, one.reading), 1.0)
    yield outliers


def _of_devices(watched: WatchedRound) -> Iterator[Any]:
    from prometheus_client.core import GaugeMetricFamily

    rows = [row for row in watched.merged.rows if row.state in ANSWERED]
    counted = Counter({row.node: len(row.devices) for row in rows})
    count = GaugeMetricFamily("accel_fleet_node_devices", "Devices that the node has.", labels=("node",))
    for node, devices in counted.items():
        count.add_metric((node,), devices)
    yield count
    named = [
        (metric.replace("accel_", "accel_fleet_", 1), reading, factor, about)
        for metric, reading, factor, about in gauges()
    ]
    named += [(f"accel_fleet_device_{reading}", reading, 1.0, about) for reading, about in _COUNTS]
    for metric, reading, factor, about in named:
        family = GaugeMetricFamily(metric, about, labels=("node", "device", "name"))
        for row in rows:
            for device in row.devices:
                if reading in device.readings:
                    value = round(device.readings[reading] * factor, 6)
                    family.add_metric((row.node, device.id, device.name or ""), value)
        if family.samples:
            yield family
