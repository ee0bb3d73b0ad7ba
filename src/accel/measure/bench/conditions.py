"""What accel reads while a step runs: each device's clocks, power and temperature, and CPU usage by other programs.

/proc/stat   "cpu  user nice system idle iowait irq softirq steal guest guest_nice", in ticks, over all CPUs
Source  Linux: proc_stat(5)
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from accel.machine.protocol import Machine
from accel.measure.bench.records import Conditions, Range
from accel.model.dataclass import dataclass
from accel.model.readings import Readings

_TICKS: Final = 100.0  # per second, in Linux's user-space interface
_IDLE, _WAITING, _STOLEN = 3, 4, 7  # indices in a line of /proc/stat
_COUNTED: Final = 8  # guest times are included in user and nice
_LEAST_SECONDS: Final = 0.1  # a shorter time has too few ticks

Sample = Callable[[], "Sequence[Readings]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticks:
    """The busy time of all CPUs together, and the time stolen by the hypervisor, in seconds."""

    busy: float
    stolen: float


def ticks(machine: Machine) -> Ticks | None:
    """Return the current counters; None if the system has none."""
    try:
        words = machine.read("/proc/stat", 4096).partition("\n")[0].split()
    except OSError:
        return None
    if len(words) <= _COUNTED or words[0] != "cpu" or not all(word.isdecimal() for word in words[1 : _COUNTED + 1]):
        return None
    numbers = [int(word) for word in words[1 : _COUNTED + 1]]
    idle = numbers[_IDLE] + numbers[_WAITING] + numbers[_STOLEN]
    return Ticks(busy=(sum(numbers) - idle) / _TICKS, stolen=numbers[_STOLEN] / _TICKS)


class Watching:
    """Collects readings and counters from the beginning of a step to its end. has_looked: whether there are any."""

    has_looked = False

    def __init__(self, machine: Machine, sample: Sample | None) -> None:
        self._machine = machine
        self._sample = sample
        self._readings: list[Readings] = []
        self._began: Ticks | None = None

    def begin(self) -> None:
        self._readings, self._began, self.has_looked = [], ticks(self._machine), False

    def look(self) -> None:
        """Take readings now."""
        self.has_looked = True
        if self._sample is not None:
            self._readings += self._sample()

    def end(self, device: str, result: Mapping[str, object]) -> Conditions:
        """Return the conditions of a device since `begin`. result: the step's result, with its CPU and wall seconds."""
        others = stolen = None
        wall, own = result.get("wall_seconds"), result.get("cpu_seconds")
        now = ticks(self._machine)
        before = self._began
        if now and before and isinstance(wall, float) and isinstance(own, float) and wall >= _LEAST_SECONDS:
            others = round(max(0.0, now.busy - before.busy - own) / wall, 2)
            stolen = round(max(0.0, now.stolen - before.stolen) / wall, 2)
        return conditions([one for one in self._readings if one.id == device and one.state == "ok"], others, stolen)


def conditions(
    readings: Sequence[Readings], others_cpus: float | None = None, stolen_cpus: float | None = None
) -> Conditions:
    """Return readings of one device as one record."""
    told = [one.clock_event_reasons for one in readings if one.clock_event_reasons is not None]
    counts = Counter(reason for reasons in told for reason in reasons if reason != "idle")
    limits = [one.power_limit_watts for one in readings if one.power_limit_watts is not None]
    return Conditions(
        samples=len(readings),
        clock_mhz=_range([one.clock_mhz for one in readings]),
        power_watts=_range([one.power_watts for one in readings]),
        power_limit_watts=limits[-1] if limits else None,
        temperature_celsius=_range([one.temperature_celsius for one in readings]),
        clock_event_reasons={name: round(count / len(told), 2) for name, count in counts.items()} if told else None,
        others_cpus=others_cpus,
        stolen_cpus=stolen_cpus,
    )


def _range(values: "Sequence[float | None]") -> Range | None:
    known = sorted(value for value in values if value is not None)
    return Range(low=known[0], median=known[len(known) // 2], high=known[-1]) if known else None
