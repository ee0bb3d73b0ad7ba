"""What people type finds the products that it can mean; what means none gives near misses."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.specs import load
from accel.specs.store import parse

CASES = parse(str(Path(__file__).with_name("colloquial.yaml")))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["text"]))
def test_a_colloquial_name_means_its_products(case: dict[str, Any]) -> None:
    assert [chip.name for chip in load().find(case["text"])] == case["means"]


def test_there_are_colloquial_names_enough() -> None:
    assert len(CASES) >= 60


def test_every_name_of_every_record_finds_it() -> None:
    specs = load()
    for chip in specs.chips():
        for name in (chip.name, *chip.aliases, *chip.families):
            assert chip.name in [found.name for found in specs.find(name, chip.vendor)], name


def test_the_name_of_a_record_finds_it_alone() -> None:
    specs = load()
    for chip in specs.chips():
        assert [found.name for found in specs.find(chip.name)] == [chip.name]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("rtx 4095", "GeForce RTX 4090"),
        ("gtx 1075", "GeForce GTX 1070"),
        ("H100 SXN", "H100 SXM5 80GB"),
        ("MI300Y", "Instinct MI300X"),
        ("gaudi4", "Gaudi3 OAM (HL-325L)"),
        ("910B9", "Ascend 910B1"),
    ],
)
def test_a_near_miss_is_suggested_and_not_taken(name: str, near: str) -> None:
    specs = load()
    assert specs.find(name) == ()
    assert near in specs.near(name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("H100 SXM4", ["H100 SXM5 80GB"]),
        ("A100 SXM5 80GB", ["A100 SXM4 80GB"]),
        ("V100 SXM4", ["Tesla V100 SXM3 32GB", "Tesla V100 SXM2 32GB", "Tesla V100 SXM2 16GB"]),
    ],
)
def test_a_mistaken_generation_of_the_form_is_forgiven_to_people_alone(name: str, meant: list[str]) -> None:
    specs = load()
    assert [chip.name for chip in specs.find(name)] == meant
    assert specs.chip(name) is None


def test_nonsense_is_near_nothing() -> None:
    assert load().near("a quiet evening") == ()


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=30))
def test_no_text_breaks_finding_or_suggesting(text: str) -> None:
    specs = load()
    specs.find(text)
    specs.near(text)


def test_a_china_variant_of_three_cards_is_each_by_its_pci_id_and_ambiguous_by_name() -> None:
    specs = load()
    ids = ("10de:2bb2", "10de:2bb9", "10de:2bbc")
    found = [chip.name for number in ids if (chip := specs.chip(pci_id=number)) is not None]
    assert {chip.name for chip in specs.find("RTX PRO 6000D")} == set(found)
    assert len(set(found)) == len(ids)
    assert specs.chip("RTX PRO 6000D") is None
