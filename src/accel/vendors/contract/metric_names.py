"""The names that another exporter gives readings, so that its dashboards and alerts go on working."""

from collections.abc import Callable, Mapping
from typing import Literal

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricName:
    """One reading under another exporter's name.

    reading  of accel.model.readings.Readings
    factor   what one of the reading's unit is in the metric's: 1000 from joules to millijoules
    """

    name: str
    reading: str
    help: str
    factor: float = 1.0
    kind: Literal["gauge", "counter"] = "gauge"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricNames:
    """What an exporter calls its metrics, and by which labels it tells devices.

    exporter  what it is asked for by: "dcgm"
    labels    returns the labels of a device; host: this machine's name
    """

    exporter: str
    names: tuple[MetricName, ...]
    labels: Callable[[Device, str], Mapping[str, str]]
