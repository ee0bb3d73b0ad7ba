"""Figures that differ from another table's are named, unless the table accepts them: accel.specs.second_opinion."""

import json
from pathlib import Path
from typing import Any

import pytest

from accel.specs.second_opinion import differing_figures, disagreements
from accel.specs.validate import main

SPECS = Path(__file__).resolve().parents[2] / "specs"
RECORD = {
    "name": "Runner 1",
    "memory_bytes": 8 * 2**30,
    "memory_bandwidth_bytes_per_second": 448 * 10**9,
    "dense_operations_per_second": {"fp32": 10**13, "fp64": 10**12},
    "tdp_watts": 200,
    "released": "2020-06-15",
}


def compared(folder: Path, *rows: dict[str, Any], accepted: tuple[dict[str, Any], ...] = ()) -> list[str]:
    (folder / "refresh").mkdir()
    told = [{"chip": "Runner 1", "vendor": "acme", "source": "list", **row} for row in rows]
    text = json.dumps({"rows": told, "accepted": list(accepted)})
    (folder / "refresh" / "second_opinion.yaml").write_text(text, encoding="utf-8")
    return disagreements(str(folder), {("acme", "Runner 1"): ("acme/chips/road.yaml", RECORD)})


def test_the_projects_own_figures_agree_or_say_why_not() -> None:
    assert differing_figures(str(SPECS)) == []


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"fp32": int(1.06e13)}, "dense_operations_per_second.fp32"),
        ({"fp64": [5 * 10**11, 9 * 10**11]}, "dense_operations_per_second.fp64"),
        ({"bandwidth": 512 * 10**9}, "memory_bandwidth_bytes_per_second"),
        ({"watts": [80, 180]}, "tdp_watts"),
        ({"memory": [4 * 2**30, 16 * 2**30]}, "memory_bytes"),
        ({"released": "2020-10-01"}, "released"),
        ({"released": "2019"}, "released"),
    ],
)
def test_a_figure_that_differs_by_more_than_a_twentieth_is_named(
    tmp_path: Path, row: dict[str, Any], field: str
) -> None:
    (sentence,) = compared(tmp_path, row)
    assert sentence.startswith(f"acme/chips/road.yaml: Runner 1: {field}: ")


@pytest.mark.parametrize(
    "row",
    [
        {"fp32": int(1.04e13), "fp64": [9 * 10**11, 11 * 10**11]},
        {"watts": [100, 200], "memory": [4 * 2**30, 8 * 2**30]},
        {"released": "2020"},
        {"released": "2020-05"},
        {"released": "2020-08-01"},
    ],
)
def test_a_rounded_figure_or_date_agrees(tmp_path: Path, row: dict[str, Any]) -> None:
    assert compared(tmp_path, row) == []


def test_one_of_several_rows_is_enough(tmp_path: Path) -> None:
    assert compared(tmp_path, {"watts": 75}, {"watts": 200}) == []


def test_an_accepted_difference_is_not_named_and_one_without_need_is(tmp_path: Path) -> None:
    accepted = {"field": "tdp_watts", "why": "a laptop's", "chips": ["Runner 1"]}
    needless = {"field": "released", "why": "none", "chips": ["Runner 1"]}
    (left,) = compared(tmp_path, {"watts": 75}, accepted=(accepted, needless))
    assert left == "second_opinion.yaml: Runner 1: released: nothing differs: leave it out"


def test_a_product_without_a_record_is_named(tmp_path: Path) -> None:
    (sentence,) = compared(tmp_path, {"chip": "Runner 2", "watts": 75})
    assert "Runner 2: no record of acme has this name" in sentence


def test_a_folder_without_the_table_has_nothing_to_compare(tmp_path: Path) -> None:
    assert disagreements(str(tmp_path), {}) == []


def test_the_command_exits_with_one_where_a_figure_differs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main([str(SPECS), "--join"]) == 0
    assert main([str(SPECS), "--other"]) == 2
    assert capsys.readouterr().out == ""
