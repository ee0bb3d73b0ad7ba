"""Which release of a platform serves a chip or a system: what is not known is None, and never a guess."""

import pytest

from accel.specs import load
from accel.specs.support import support_of


@pytest.mark.parametrize(
    ("platform", "hardware", "release", "serves"),
    [
        ("rocm", "gfx906", "6.3", True),
        ("rocm", "gfx906", "6.3.4", True),
        ("rocm", "gfx906", "6.4", False),
        ("rocm", "gfx906", "7.1", False),
        ("rocm", "gfx906", "6", None),
        ("rocm", "gfx906", None, None),
        ("rocm", "gfx906", "latest", None),
        ("rocm", "gfx900", "6.2", None),
        ("rocm", "gfx1013", "6.4", False),
        ("rocm", "gfx1201", "6.3", False),
        ("rocm", "gfx1201", "6.4.1", True),
        ("gaudi", "gaudi1", "1.19.1", False),
        ("gaudi", "gaudi1", "1.18.0", True),
        ("wsl-gpu", "windows-10", "19042", False),
        ("wsl-gpu", "windows-10", "26100", True),
        ("jetpack", "jetson-nano", "5.1", False),
    ],
)
def test_a_release_serves_a_chip_as_its_row_says(
    platform: str, hardware: str, release: str | None, serves: bool | None
) -> None:
    known = support_of(load(), platform, hardware)
    assert known is not None
    assert known.serves(release) is serves


def test_hardware_without_a_row_is_not_known() -> None:
    assert support_of(load(), "rocm", "gfx9999") is None
    assert support_of(load(), "metal", "gfx906") is None


def test_every_row_names_its_sources_and_a_way_that_exists() -> None:
    table = load().table("system/support")
    ways = {way["name"] for way in table["ways"]}
    for row in table["rows"]:
        assert row["sources"], row["title"]
        assert set(row["sources"]) <= set(table["sources"]), row["title"]
        assert row["instead"] is None or row["instead"] in ways, row["title"]
        if row.get("never"):
            assert (row["first"], row["last"]) == (None, None), row["title"]


def test_the_last_branch_for_a_gpu_is_the_one_of_its_generation() -> None:
    specs = load()
    generations = {
        row["last_driver_branch"]
        for row in specs.table("nvidia/architectures")["architectures"]
        if "last_driver_branch" in row
    }
    legacy = {row["branch"] for row in specs.table("nvidia/drivers")["legacy"]}
    assert legacy == generations - {None}
