"""The metric names of other exporters, so that their dashboards and alerts keep working."""

from collections.abc import Callable, Mapping
from typing import Literal

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricName:
    """One reading under another exporter's name.

    reading  a field of accel.model.readings.Readings
    factor   converts the reading's unit to the metric's: 1000 from joules to millijoules
    """

    name: str
    reading: str
    help: str
    factor: float = 1.0
    kind: Literal["gauge", "counter"] = "gauge"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricNames:
    """The metric names of an exporter, and the labels by which it identifies devices.

    exporter  the name that selects it: "dcgm"
    labels    returns a device's labels; host: the name of this machine
    """

    exporter: str
    names: tuple[MetricName, ...]
    labels: Callable[[Device, str], Mapping[str, str]]
