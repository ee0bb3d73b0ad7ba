"""A series or a generation means all its products; a word that is of neither leaves the text unknown."""

import pytest

from accel.apps.cli.specs import run
from accel.specs import load


@pytest.mark.parametrize(
    ("text", "has", "lacks"),
    [
        ("RTX 40 series", "GeForce RTX 4090 Laptop GPU", "RTX 4000 Ada Generation"),
        ("an RTX 40 series laptop GPU", "GeForce RTX 4060 Laptop GPU", "GeForce RTX 4060"),
        ("40系显卡", "GeForce RTX 4070 Ti", "GeForce RTX 3070"),
        ("RTX 30xx", "GeForce RTX 3060 12GB", "GeForce RTX 4060"),
        ("Arc A-series", "Arc A380", "Arc B580"),
        ("M3 family", "Apple M3 Max (40-core GPU)", "Apple M4 Max (40-core GPU)"),
        ("Ampere", "A100 SXM4 40GB", "H100 SXM5 80GB"),
        ("RDNA 3", "Radeon RX 7900 XTX", "Radeon RX 6900 XT"),
        ("Instinct MI200 series", "Instinct MI250X", "Instinct MI300X"),
        ("AMD Radeon R9 200 Series", "Radeon R9 290X", "Radeon R9 380"),
        ("Radeon HD 7900 Series", "Radeon HD 7970", "Radeon HD 7850"),
        ("Quadro P series", "Quadro P4000", "Quadro RTX 4000"),
        ("昆仑芯", "P800 OAM", "C500"),
    ],
)
def test_a_series_means_its_products(text: str, has: str, lacks: str) -> None:
    named = load().named(text)
    names = {chip.name for chip in named.chips}
    assert named.by == "series"
    assert has in names
    assert lacks not in names


@pytest.mark.parametrize(
    "text", ["series", "a series", "Orville series", "8 series", "NVIDIA GPU", "GeForce", "x" * 90]
)
def test_what_names_no_series_means_nothing(text: str) -> None:
    assert load().named(text).chips == ()


def test_a_name_that_also_begins_a_series_is_the_product() -> None:
    assert [chip.name for chip in load().named("AMD Radeon RX 590 Series").chips] == ["Radeon RX 590"]


def test_the_command_shows_the_products_of_a_series(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["find", "RTX 50 series laptop"]) == 1
    assert capsys.readouterr().out.startswith("RTX 50 series laptop: the series or generation of ")
