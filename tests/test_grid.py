"""Drawn tables: what counts where a line or the text breaks off."""

import pytest

from accel.text.grid import Layout, tables
from accel.text.pattern import pattern

LAYOUT = Layout(
    title=pattern(r"\bACME-SMI\b"),
    said={"driver": pattern(r"Driver Version: (\d[\d.]*)")},
    own=pattern(r"\|\s*GPU\s+Name\b"),
    head=pattern(r"\|\s*GPU\s+Name\b"),
    columns={
        "Bus-id": r"(?P<bus>[0-9a-f:.]{7,12})",
        "Memory": r"(?P<total>\d+MiB)",
        "GPU": r"(?P<index>\d+)",
        "Name": r"(?P<name>\S+)",
    },
    process=pattern(r"(?P<index>\d+) (?P<pid>\d+) (?P<name>\S+) (?P<memory>\d+)"),
)
ROW = "| 0  X1 | 00:01.0 | 512MiB |"


def table(title: str, row: str) -> str:
    return f"{title}\n| GPU  Name | Bus-id | Memory |\n|======|\n{row}"


@pytest.mark.parametrize(
    ("title", "version"),
    [
        ("| ACME-SMI  Driver Version: 5.0.21 |", "5.0.21"),
        ("ACME-SMI  Driver Version: 5.0.21", "5.0.21"),
        ("| ACME-SMI  Driver Version: 5.0.21   Toolkit: 3", "5.0.21"),
        ("| ACME-SMI  Driver Version: 5.0", None),
    ],
)
def test_a_version_that_a_drawn_line_breaks_off_in_is_not_known(title: str, version: str | None) -> None:
    found = next(tables(table(title, ROW), LAYOUT))
    assert found.said.get("driver") == version


@pytest.mark.parametrize(("cut", "total"), [(0, "512MiB"), (1, None), (5, None)])
def test_a_cell_that_no_bar_closes_is_not_known(cut: int, total: str | None) -> None:
    row = ROW[: len(ROW) - cut]
    found = next(tables(table("| ACME-SMI |", row), LAYOUT))
    assert found.rows[0]["name"] == "X1"
    assert found.rows[0].get("total") == total
