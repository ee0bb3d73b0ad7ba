"""Two benchmarks: what is slower beyond the noise is named, what only wavers is not, and what else differs is told."""

import pytest

from accel.measure.bench.compare import compared, unlike
from accel.measure.bench.records import Bench, Benched, Framework, Measure
from accel.measure.bench.saved import decoded, encoded
from accel.model.dataclass import replace
from accel.model.errors import BadInput

DEVICE = Benched(
    id="nvidia:0", name="NVIDIA H100 80GB HBM3", kind="gpu", driver_version="570.86", power_limit_watts=700.0
)
MATMUL = Measure(
    name="matmul bf16", kind="matmul", device="nvidia:0", state="measured", unit="operations/s", value=7e14, spread=0.01
)
LAUNCH = Measure(name="launch", kind="launch", device="nvidia:0", state="measured", unit="s", value=4e-6, spread=0.0)
BENCH = Bench(
    accel="0.1.0", started="2026-11-01T10:00:00Z", seconds=60.0, quick=False, devices=(DEVICE,),
    frameworks=(Framework(name="torch", version="2.9.0", build="cuda 12.8"),), measures=(MATMUL, LAUNCH),
)  # fmt: skip


@pytest.mark.parametrize(
    ("value", "spread", "change"),
    [
        (6.0e14, 0.01, "slower"),
        (8.0e14, 0.01, "faster"),
        (6.85e14, 0.0, "same"),
        (6.0e14, 0.30, "same"),
        (None, None, "gone"),
    ],
    ids=["a-tenth-slower", "faster", "within-3-percent", "within-the-spread", "no-figure"],
)
def test_a_change_counts_beyond_the_noise_of_both(value: float | None, spread: float | None, change: str) -> None:
    newer = replace(BENCH, measures=(replace(MATMUL, value=value, spread=spread), LAUNCH))
    first, second = compared(BENCH, newer)
    assert first.change == change
    assert second.change == "same"


def test_a_longer_latency_is_slower() -> None:
    newer = replace(BENCH, measures=(MATMUL, replace(LAUNCH, value=6e-6)))
    (one,) = (one for one in compared(BENCH, newer) if one.name == "launch")
    assert (one.change, round(one.ratio or 0, 2)) == ("slower", 0.67)


def test_what_else_differs_is_told() -> None:
    newer = replace(
        BENCH,
        quick=True,
        devices=(replace(DEVICE, driver_version="580.10", power_limit_watts=300.0),),
        frameworks=(Framework(name="jax", version="0.10.2", build="gpu"),),
    )
    assert unlike(BENCH, newer) == (
        "nvidia:0: the driver was 570.86, and is 580.10.",
        "nvidia:0: the power limit was 700.0, and is 300.0.",
        "It was measured through torch, and is through jax.",
        "One of the two was made with --quick, whose runs are shorter.",
    )
    assert unlike(BENCH, BENCH) == ()


def test_a_saved_benchmark_is_read_back_as_it_was() -> None:
    full = replace(BENCH, measures=(replace(MATMUL, extra={"order": 8192.0}, others=("nvidia:1",)),))
    assert decoded(encoded(full)) == full


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not a complete JSON document"),
        ("[]", "expected a benchmark, accel.bench/1, got 'None'"),
        ('{"schema": "accel.snapshot/1"}', "got 'accel.snapshot/1'"),
        (encoded(BENCH).replace("7", '"seven"', 1), "old.json: "),
        ("[" * 100_000, "not a complete JSON document"),
    ],
    ids=["cut", "another-form", "another-schema", "a-wrong-type", "nested"],
)
def test_what_is_no_benchmark_is_refused_with_the_command_that_makes_one(text: str, says: str) -> None:
    with pytest.raises(BadInput) as refused:
        decoded(text, "old.json")
    assert says in str(refused.value)
    assert str(refused.value).endswith("accel bench --save old.json")
