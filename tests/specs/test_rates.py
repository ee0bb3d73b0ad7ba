"""Rates name their accumulator; measures compare like with like and leave the unknown out."""

import pytest

from accel.model.rates import best_rate, is_measure, measure, rates
from accel.specs import Chip, load
from accel.specs.select import select, span


def chip(name: str) -> Chip:
    found = load().chip(name)
    assert found is not None
    return found


def test_fp16_with_each_accumulator_is_told_apart() -> None:
    found = {(rate.dtype, rate.accumulator, rate.unit): rate.operations_per_second for rate in rates(chip("4090"))}
    assert found["fp16", "fp16", "matrix"] == pytest.approx(2 * found["fp16", "fp32", "matrix"], rel=0.01)
    assert found["fp16", "fp16", "vector"] < found["fp16", "fp32", "matrix"]
    assert ("fp8", "fp16", "matrix") in found
    assert ("fp8", "fp32", "matrix") in {(r.dtype, r.accumulator, r.unit) for r in rates(chip("H100 SXM5"))}


def test_chips_are_compared_by_fp16_that_sums_in_fp32() -> None:
    assert best_rate(chip("4090"), "fp16") == pytest.approx(165.2e12, rel=0.01)
    assert best_rate(chip("A100 SXM4 80GB"), "fp64") == 19_500_000_000_000
    assert best_rate(chip("Tesla K80"), "bf16") is None


def test_every_rate_of_every_chip_has_a_shape() -> None:
    for one in load().chips():
        assert {rate.key for rate in rates(one)} == set(one.dense_operations_per_second or {}), one.name


def test_a_measure_by_another_is_their_quotient_and_unknown_without_either() -> None:
    one = chip("H100 SXM5")
    assert measure(one, "bf16/watt") == pytest.approx(989.4e12 / 700)
    assert measure(one, "memory") == 80 * 2**30
    assert measure(chip("Instinct MI308X"), "bf16/watt") is None
    assert is_measure("fp8/tdp")
    assert not is_measure("speed")


def test_filters_keep_what_is_known_to_fit() -> None:
    specs = load()
    ampere = {one.name for one in select(specs, vendor="nvidia", architecture="ampere", memory="40-48")}
    assert {"A100 SXM4 40GB", "A40"} <= ampere
    assert "A100 SXM4 80GB" not in ampere
    fp8 = select(specs, vendor="amd", dtype="fp8")
    assert all("fp8" in one.dense_operations_per_second for one in fp8 if one.dense_operations_per_second)
    assert "Instinct MI250X" not in {one.name for one in fp8}
    assert all((one.released or "").startswith("2017") for one in select(specs, year="2017"))


@pytest.mark.parametrize(
    ("text", "low", "high"), [("2022-2024", 2022, 2024), ("-16", 0, 16), ("24-", 24, float("inf"))]
)
def test_a_range_has_two_ends(text: str, low: float, high: float) -> None:
    assert span(text) == (low, high)


@pytest.mark.parametrize("text", ["", "many", "1-2-3"])
def test_a_range_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        span(text)
    assert "expected a number or a range" in str(caught.value)
