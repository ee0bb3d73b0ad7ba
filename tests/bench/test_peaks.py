"""What a measure is held against: the sheet's peak of the same format, the link's rate, and what others reached."""

from typing import Any

import pytest

import accel
from accel.apps.bench import _Peaks
from accel.measure.bench.plan import Step
from accel.model.dataclass import dataclass
from accel.model.device import Device
from accel.specs import load


@dataclass(frozen=True, slots=True, kw_only=True)
class Board(Device):
    """A device that says what its slot gives."""

    pcie_generation_maximum: int | None = None
    pcie_width_maximum: int | None = None


def peaks(product: str, **more: Any) -> _Peaks:
    board = Board(id="x:0", index=0, backend="x", vendor="x", kind="gpu", **more)
    return _Peaks({"x:0": accel.spec(product)}, [board])


def step(measure: Any, **row: Any) -> Step:
    return Step(name="any", kind=measure, device="x:0", framework="torch", row=row)


@pytest.mark.parametrize(
    ("product", "kind", "row", "peak", "source"),
    [
        ("H100 SXM5", "matmul", {"dtype": "bf16"}, 989.4e12, "H100 SXM5 80GB"),
        ("H100 SXM5", "matmul", {"dtype": "fp32"}, 66.9e12, "H100 SXM5 80GB"),
        ("H100 SXM5", "memory", {"kind": "triad"}, 3.352e12, "H100 SXM5 80GB"),
        ("A100 SXM4 80GB", "matmul", {"dtype": "fp8"}, None, None),
        ("H100 SXM5", "launch", {}, None, None),
        ("H100 SXM5", "storage", {}, None, None),
    ],
)
def test_the_peak_is_the_dense_one_of_the_same_format(
    product: str, kind: str, row: dict[str, str], peak: float | None, source: str | None
) -> None:
    found = peaks(product).of(step(kind, **row))
    assert found == (pytest.approx(peak) if peak else None, source)


def test_a_copy_is_held_against_what_device_and_slot_have_together() -> None:
    slot = peaks("H100 SXM5", pcie_generation_maximum=4, pcie_width_maximum=8).of(step("transfer"))
    assert slot == (pytest.approx(15.75e9, rel=0.01), "PCIe 4.0 x8 of device and slot")
    product = peaks("H100 SXM5").of(step("transfer"))
    assert product == (pytest.approx(63e9, rel=0.01), "PCIe 5.0 x16 of the product")


def test_every_published_rate_names_a_product_and_stays_below_its_peak() -> None:
    table = load().table("system/achieved")
    assert table is not None
    for row in table["rates"]:
        for name in row["chips"]:
            known = accel.spec(name)
            assert known is not None
            assert known.name == name
            peak = known.peak_flops(row["dtype"])
            assert peak is not None
            assert 0.3 < row["operations_per_second"] / peak < 1
        assert table["sources"][row["source"]]["url"].startswith("https://")


def test_a_published_rate_is_given_for_its_product_and_format_alone() -> None:
    rate, source = peaks("H100 SXM5").reached(step("matmul", dtype="bf16"))
    assert rate == 794.5e12
    assert source is not None
    assert peaks("H100 SXM5").reached(step("matmul", dtype="fp16")) == (None, None)
    assert peaks("H100 PCIe").reached(step("matmul", dtype="bf16")) == (None, None)
