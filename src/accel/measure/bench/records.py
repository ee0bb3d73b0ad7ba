"""What a benchmark found. As JSON, accel.bench/1, these records are the file that `--save` writes."""

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
    """The lowest, the middle and the highest of some readings."""

    low: float
    median: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What accel read of the device while a measure ran. None: not read; samples: how many readings there were.

    clock_event_reasons  why clocks were not higher, in the driver's words -> the part of the samples that had it
    others_cpus          processors that other programs used meanwhile; stolen_cpus: that the hypervisor gave to others
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
    """What held a measure down, by accel's own readings. text: one sentence."""

    cause: Cause
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One measure of one device.

    name     what it is, the same in every benchmark: "matmul bf16", "memory triad", "host to device, pinned"
    device   its id; others: the further devices of a copy between two and of a collective
    state    "measured"; else `reason` says why there is no figure: "failed" with an error, "unavailable" here,
             "not-run" because the time was over or the benchmark was ended
    value    the median over the runs, best the best run's; of launch latency the lower is the better
    spread   of the middle half of the runs, as a part of the median
    peak     what the device or the link can do at most, by peak_source; None: not known. share: value over peak
    reached  the most that a published measurement had on this product, by reached_source; None: none is known
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
        """What two benchmarks compare a measure by."""
        return (self.name, self.device, *self.others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """Through what was measured: "torch", "2.13.0+cu130", "cuda 13.0"; threads of the host that it uses."""

    name: str
    version: str
    build: str
    threads: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Benched:
    """A device that was measured, as it was then.

    power_default_watts  the limit that its maker gave the board, where the driver tells it
    scale_reason  why its peaks are a part of the product's
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
    ended_by  "interrupt" or "deadline" where it did not come to its end: what there is of it is kept; else None
    python    the interpreter whose frameworks were used
    notes     what else has to be known to read the figures, one sentence each
    host      the machine's name, by which a fleet's merge finds its node; None: not told
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
        """Whether every step was run to its end."""
        return self.ended_by is None and all(one.state != "not-run" for one in self.measures)

    @property
    def lowest(self) -> Measure | None:
        """The measure with the lowest share of its peak; None where no share is known."""
        known = [one for one in self.measures if one.share is not None]
        return min(known, key=lambda one: one.share or 0.0, default=None)
