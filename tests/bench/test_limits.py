"""What held a measure down, by readings taken meanwhile: a sentence with figures, or nothing where nothing shows it."""

import pytest

from accel.measure.bench.conditions import conditions
from accel.measure.bench.limits import Facts, has_kernels, limits_of
from accel.measure.bench.records import Conditions, Measure, Range
from accel.model.dataclass import dataclass, replace
from accel.model.device import Device
from accel.model.readings import Readings


@dataclass(frozen=True, slots=True, kw_only=True)
class Board(Device):
    """A device with what a maker's record has beside the common fields."""

    clock_sm_max_mhz: int | None = 1980
    pcie_width_current: int | None = 16
    pcie_width_maximum: int | None = 16
    pcie_generation_maximum: int | None = 5
    pcie_generation_device_maximum: int | None = 5
    cgroup_cpu_limit: float | None = None


BOARD = Board(
    id="nvidia:0", index=0, backend="nvidia", vendor="NVIDIA", kind="gpu",
    memory_total_bytes=80 << 30, memory_used_bytes=1 << 30, utilization_percent=0.0, power_limit_watts=700.0,
)  # fmt: skip
CPU = Board(id="cpu:0", index=0, backend="cpu", vendor="AMD", kind="cpu")
MATMUL = Measure(name="matmul bf16", kind="matmul", device="nvidia:0", state="measured", share=0.6)
COPY = replace(MATMUL, name="host to device, pinned", kind="transfer", share=0.4)


def flat(value: float) -> Range:
    return Range(low=value, median=value, high=value)


def found(measure: Measure, device: Device = BOARD, **facts: object) -> list[tuple[str, str]]:
    known = Facts(before=device, sheet_watts=700.0, **facts)  # type: ignore[arg-type]
    return [(limit.cause, limit.text) for limit in limits_of(measure, known)]


AT = "; its clock was at"
CAPPED = Conditions(samples=8, clock_mhz=flat(1200), power_watts=flat(298), power_limit_watts=300.0)
HOT = Conditions(
    samples=8, clock_mhz=flat(900), temperature_celsius=flat(91), clock_event_reasons={"sw-thermal-slowdown": 1.0}
)


@pytest.mark.parametrize(
    ("seen", "cause", "text"),
    [
        (CAPPED, "power", f"Power: it drew 298 W of 300 W allowed (its product has 700 W){AT} 1,200 MHz of 1,980 MHz."),
        (HOT, "heat", f"Heat: the driver slowed it down at 91 °C (sw-thermal-slowdown){AT} 900 MHz of 1,980 MHz."),
        (
            Conditions(samples=4, clock_event_reasons={"power-cap-sustained": 0.75}),
            "power",
            "Power: the driver reports power-cap-sustained.",
        ),
        (
            Conditions(samples=4, clock_mhz=flat(1005), clock_event_reasons={"applications-clocks": 1.0}),
            "clock",
            "Clock: it was limited by applications-clocks; its clock was at 1,005 MHz of 1,980 MHz.",
        ),
        (
            Conditions(samples=4, clock_mhz=flat(1005), clock_event_reasons={}),
            "clock",
            "Clock: the driver names no reason; its clock was at 1,005 MHz of 1,980 MHz.",
        ),
    ],
    ids=["power-cap", "heat", "amd-power-cap", "set-clocks", "no-reason"],
)  # fmt: skip
def test_readings_beside_a_measure_say_what_held_it_down(seen: Conditions, cause: str, text: str) -> None:
    assert found(replace(MATMUL, conditions=seen)) == [(cause, text)]


@pytest.mark.parametrize(
    "measure",
    [
        replace(MATMUL, share=0.96, conditions=CAPPED),
        replace(MATMUL, conditions=Conditions(samples=4, clock_mhz=flat(1900), power_watts=flat(500))),
        replace(MATMUL, conditions=Conditions(samples=10, clock_event_reasons={"sw-thermal-slowdown": 0.1})),
        replace(MATMUL, conditions=None),
    ],
    ids=["at-the-peak", "nothing-near-a-limit", "one-sample-of-ten", "nothing-read"],
)
def test_nothing_is_named_where_nothing_shows_it(measure: Measure) -> None:
    assert found(measure) == []


def test_a_link_below_its_maximum_limits_copies_to_the_host_alone() -> None:
    narrow = replace(BOARD, pcie_width_current=8)
    assert found(COPY, narrow) == [("link", "PCIe: the link has 8 of 16 lanes. Try  accel topology")]
    assert found(MATMUL, narrow) == []
    old_slot = replace(BOARD, pcie_generation_maximum=3)
    assert found(COPY, old_slot) == [("link", "PCIe: the slot gives generation 3, the device has 5.")]


def test_others_on_the_device_are_named_by_what_was_there_before() -> None:
    taken = replace(BOARD, memory_used_bytes=60 << 30, utilization_percent=97.0)
    assert [cause for cause, _ in found(MATMUL, taken)] == ["others"]
    small = replace(MATMUL, name="memory read", kind="memory", extra={"capped": 1.0})
    assert [cause for cause, _ in found(small, taken)] == ["others", "memory"]
    assert "others use 60.0 of its 80.0 GiB" in found(small, taken)[1][1]


def test_a_build_without_the_chips_kernels_is_named_with_what_it_has() -> None:
    (limit,) = found(MATMUL, target="sm_120", built_for=("sm_80", "sm_90"), framework="torch")
    assert limit[0] == "build"
    assert limit[1].startswith("Build: this torch has no kernels for sm_120, only for sm_80, sm_90.")
    assert found(MATMUL, target="sm_90", built_for=("sm_80", "sm_90"), framework="torch") == []


@pytest.mark.parametrize(
    ("target", "built", "has"),
    [
        ("sm_86", ("sm_80",), True),
        ("sm_80", ("sm_86",), False),
        ("sm_120", ("sm_90", "compute_90"), False),
        ("sm_100", ("sm_100a",), True),
        ("gfx942", ("gfx90a", "gfx942"), True),
        ("gfx1101", ("gfx1100",), False),
    ],
)
def test_code_of_an_earlier_minor_version_runs_and_no_other(target: str, built: tuple[str, ...], has: bool) -> None:
    assert has_kernels(target, built) is has


def test_other_programs_and_limits_of_the_processors_are_named() -> None:
    seen = replace(MATMUL, share=None, conditions=Conditions(others_cpus=6.2, stolen_cpus=0.0))
    assert found(seen, CPU, cpus=32, threads=16) == [
        ("others", "Others: other programs used 6.2 of 32 processors meanwhile.")
    ]
    limited = replace(CPU, cgroup_cpu_limit=4.0)
    quiet = replace(seen, conditions=Conditions(others_cpus=0.0, stolen_cpus=3.0))
    assert [text for _, text in found(quiet, limited, cpus=32, threads=1, framework="torch")] == [
        "Others: the hypervisor gave 3.0 of 32 processors to other machines.",
        "Control group: it gives 4 of 32 processors.",
        "Threads: torch uses 1 of 32 processors (OMP_NUM_THREADS).",
    ]


def test_samples_become_ranges_and_shares_and_stay_unknown_where_nothing_was_read() -> None:
    samples = [
        Readings(id="nvidia:0", clock_mhz=clock, power_watts=None, clock_event_reasons=reasons)
        for clock, reasons in ((1980, ("idle",)), (1410, ("sw-power-cap",)), (1400, ("sw-power-cap",)), (1395, None))
    ]
    told = conditions(samples)
    assert told.clock_mhz == Range(low=1395, median=1410, high=1980)
    assert told.power_watts is None
    assert told.clock_event_reasons == {"sw-power-cap": 0.67}
    assert conditions([]).clock_event_reasons is None
