"""The cells of Wikipedia's tables become figures: specs.refresh.second_opinion."""

from typing import Any

import pytest

from accel.specs import load
from specs.refresh.second_opinion import figures, names, rows


@pytest.mark.parametrize(
    ("heading", "cell", "told"),
    [
        ("Processing power (GFLOPS) Single precision", "12,288.0 14,899.2", {"fp32": [12288 * 10**9, 148992 * 10**8]}),
        ("Processing power (TFLOPS) Double", 0.884, {"fp64": 884 * 10**9}),
        ("Processing power (GFLOPS) Double", "2× 880", {"fp64": 1760 * 10**9}),
        ("Processing power (TFLOPS) Double", "81.7 163.4 (FP64 Matrix)", {}),
        ("Memory Bandwidth (GB/s)", "432", {"bandwidth": 432 * 10**9}),
        ("TDP (Watts)", "100-260", {"watts": [100, 260]}),
        ("TDP (Watts) Idle", "25", {}),
        ("TDP", "Un\xadknown", {}),
        ("Memory Size (GB)", "16 or 32", {"memory": [16 * 2**30, 32 * 2**30]}),
        ("Memory Size (MiB)", "3072 6144", {"memory": [3 * 2**30, 6 * 2**30]}),
        ("Memory Size", "16 GB + 2 TB SSD", {}),
        ("Launch", "2022-05-10 00:00:00", {"released": "2022-05-10"}),
        ("Launch", "2019-01-01 00:00:00", {"released": "2019"}),
        ("Launch", "2016-10-01 00:00:00", {"released": "2016-10"}),
        ("Release Date & Price", "May 10, 2022", {"released": "2022-05-10"}),
    ],
)
def test_a_cell_becomes_a_figure_or_is_left_out(heading: str, cell: Any, told: dict[str, Any]) -> None:
    assert figures({heading: cell}) == told


def test_a_name_is_tried_as_drivers_and_tables_write_it() -> None:
    assert "V100 SXM" in list(names({"Model": "V100 GPU accelerator (mezzanine)"}, "nvidia"))
    assert "Radeon Pro W7700" in list(names({"Model (Code name)": "Radeon Pro W7700 (Navi 32)"}, "amd"))
    entry = {"Branding and Model": "Arc 7", "Branding and Model Branding and Model.1": "A77016GB"}
    assert "Arc A770 16GB" in list(names(entry, "intel"))


def test_a_row_is_written_for_an_entry_that_means_one_record() -> None:
    known = {"Vendor": "NVIDIA", "Model": "Quadro RTX 6000", "Launch": "2018-08-13 00:00:00", "TDP (Watts)": "100-260"}
    unknown = {**known, "Model": "Quadro RTX 60000"}
    assert rows(load(), {"one": known, "two": unknown}) == [
        {
            "chip": "Quadro RTX 6000",
            "vendor": "nvidia",
            "source": "nvidia",
            "watts": [100, 260],
            "released": "2018-08-13",
        }
    ]
