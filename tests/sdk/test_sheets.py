"""Peak rates of products against their makers' sheets."""

from pathlib import Path
from typing import Any

import pytest

import accel
from accel.specs.store import parse

SHEETS = parse(str(Path(__file__).with_name("sheets.yaml")))["sheets"]
ROUNDED = 0.015  # share by which a sheet rounds


def figures(kind: str) -> list[Any]:
    return [
        pytest.param(row["product"], dtype, tera * 1e12, id=f"{row['product']}-{dtype}")
        for row in SHEETS
        for dtype, tera in row.get(kind, {}).items()
    ]


def test_forty_products_and_more_are_held_against_their_sheets() -> None:
    assert len({row["product"] for row in SHEETS}) == len(SHEETS) > 60
    assert all(row["source"] for row in SHEETS)


@pytest.mark.parametrize(("product", "dtype", "rate"), figures("dense"))
def test_a_dense_peak_is_that_of_the_sheet(product: str, dtype: str, rate: float) -> None:
    spec = accel.spec(product)
    assert spec is not None
    assert spec.peak_flops(dtype) == pytest.approx(rate, rel=ROUNDED)
    assert spec.sources["peaks"]


@pytest.mark.parametrize(("product", "dtype", "rate"), figures("sparse"))
def test_a_sparse_peak_is_that_of_the_sheet(product: str, dtype: str, rate: float) -> None:
    spec = accel.spec(product)
    assert spec is not None
    assert spec.peak_flops(dtype, sparse=True) == pytest.approx(rate, rel=ROUNDED)


@pytest.mark.parametrize(
    ("product", "dtype"), [(row["product"], dtype) for row in SHEETS for dtype in row.get("lacks", ())]
)
def test_a_format_that_the_chip_lacks_or_its_sheet_leaves_out_has_no_peak(product: str, dtype: str) -> None:
    spec = accel.spec(product)
    assert spec is not None
    assert spec.peak_flops(dtype) is None
    assert spec.peak_flops(dtype, sparse=True) is None
