"""Published and measured figures of models, with their sources, are met as well as benchmarks/fit.md says."""

import statistics
import sys
from pathlib import Path

import pytest
import yaml

_BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.append(str(_BENCHMARKS))
import fit  # noqa: E402

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@pytest.fixture(scope="module")
def told() -> tuple[list[fit.Judged], list[tuple[dict[str, object], bool | None]]]:
    return fit.figures(yaml.load((_BENCHMARKS / "fit_figures.yaml").read_text(encoding="utf-8"), _LOADER))


def test_nine_in_ten_figures_lie_within_12_percent(told: tuple[list[fit.Judged], object]) -> None:
    errors = [abs(one.error) for one in told[0]]
    assert len(errors) >= 130
    assert statistics.median(errors) <= 0.01
    assert sum(error <= 0.12 for error in errors) >= 0.93 * len(errors)


def test_parameters_are_exact(told: tuple[list[fit.Judged], object]) -> None:
    counted = [one for one in told[0] if one.field == "parameters"]
    assert len(counted) >= 17
    assert [one.row["id"] for one in counted if one.computed != one.published] == []


def test_nothing_that_ran_out_of_memory_fits(
    told: tuple[object, list[tuple[dict[str, object], bool | None]]],
) -> None:
    assert len(told[1]) >= 20
    assert [row["id"] for row, fits in told[1] if fits and row["fits"] is False] == []
    assert [row["id"] for row, fits in told[1] if fits is False and row["fits"] is True] == []
