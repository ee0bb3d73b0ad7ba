"""The results of a benchmark. As JSON, accel.bench/1, these records are the file that `--save` writes."""

from collections.abc import Mapping
from typing import Final, Literal

from accel.model.dataclass import dataclass, field

SCHEMA: Final = "accel.bench/1"

Kind = Literal["matmul", "memory", "transfer", "peer", "launch", "collective", "storage"]
State = Literal["measured", "failed", "unavailable", "not-run"]
Unit = Literal["operations/s", "bytes/s", "s"]
Cause = Literal["power", "heat", "clock", "link", "memory", "build", "others", "limit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """The minimum, the median and the maximum of some readings."""

    low: float
    median: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What accel read from the device while a measure ran. None: not read; samples: number of readings.

    clock_event_reasons  why clocks were not higher, in the driver's words -> fraction of the samples with that reason
    others_cpus          CPUs used by other programs meanwhile; stolen_cpus: CPUs the hypervisor gave to others
    """

    samples: int = 0
    clock_mhz: Range | None = None
    power_watts: Range | None = None
    power_limit_watts: float | None = None
    temperature_celsius: Range | None = None
    clock_event_reasons: Mapping[str, float] | None = None
    others_cpus: float | None = None
    stolen_cpus: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What limited a measure, according to accel's readings. text: one sentence."""

    cause: Cause
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One measure of one device.

    name     the same in every benchmark: "matmul bf16", "memory triad", "host to device, pinned"
    device   its id; others: the other devices of a copy between two or of a collective
    state    "measured"; otherwise `reason` says why there is no figure: "failed" with an error, "unavailable" here,
             "not-run" because the time was up or the benchmark was stopped
    value    the median over the runs, best: the best run's; for launch latency lower is better
    spread   of the middle half of the runs, as a fraction of the median
    peak     the maximum of the device or the link, from peak_source; None if unknown. share: value over peak
    reached  the best published measurement of this product, from reached_source; None if none is known
    way      how it was measured: "torch, 8192 × 8192"
    extra    further figures of the same step, by name: {"round_trip_seconds": 8.1e-6}
    """

    name: str
    kind: Kind
    device: str
    others: tuple[str, ...] = ()
    state: State = "not-run"
    reason: str | None = None
    unit: Unit = "bytes/s"
    value: float | None = None
    best: float | None = None
    spread: float | None = None
    runs: int | None = None
    peak: float | None = None
    peak_source: str | None = None
    share: float | None = None
    reached: float | None = None
    reached_source: str | None = None
    way: str | None = None
    extra: Mapping[str, float] = field(default_factory=dict)
    conditions: Conditions | None = None
    limited_by: tuple[Limit, ...] = ()

    @property
    def key(self) -> tuple[str, ...]:
        """The key by which two benchmarks match a measure."""
        return (self.name, self.device, *self.others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """The framework that measured: "torch", "2.13.0+cu130", "cuda 13.0"; the host threads that it uses."""

    name: str
    version: str
    build: str
    threads: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Benched:
    """A measured device, as it was at that time.

    power_default_watts  the board's default power limit, if the driver reports it
    scale_reason  why its peaks are a fraction of the product's
    """

    id: str
    name: str | None = None
    kind: str = "accelerator"
    architecture: str | None = None
    driver_version: str | None = None
    power_limit_watts: float | None = None
    power_default_watts: float | None = None
    product: str | None = None
    scale_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A benchmark.

    started   in UTC, "2026-11-29T08:12:49Z"; seconds: how long it took
    ended_by  "interrupt" or "deadline" if it did not finish: results so far are kept; else None
    python    the interpreter whose frameworks were used
    notes     what is needed to interpret the figures, one sentence each
    host      the machine's name, which a fleet merge matches with its node; None if unknown
    """

    schema: str = SCHEMA
    accel: str
    started: str
    seconds: float
    quick: bool
    ended_by: str | None = None
    python: str | None = None
    frameworks: tuple[Framework, ...] = ()
    devices: tuple[Benched, ...] = ()
    measures: tuple[Measure, ...] = ()
    notes: tuple[str, ...] = ()
    host: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every step ran to its end."""
        return self.ended_by is None and all(one.state != "not-run" for one in self.measures)

    @property
    def lowest(self) -> Measure | None:
        """The measure with the lowest share of its peak; None if no share is known."""
        known = [one for one in self.measures if one.share is not None]
        return min(known, key=lambda one: one.share or 0.0, default=None)
