"""Products that are not on sale are marked, and systems are no chips."""

import pytest

from accel.apps.render.chip_words import released_text
from accel.specs import load

ASKED = {
    "Rubin Ultra": "announced",
    "Feynman GPU": "announced",
    "B30A": "reported",
    "Instinct MI500": "announced",
    "Crescent Island": "announced",
    "Falcon Shores": "cancelled",
    "Trainium4": "announced",
    "Ascend 970": "announced",
    "Ascend 910D": "reported",
    "Lisuan 7G106": None,
    "Alveo U55C": None,
}


@pytest.mark.parametrize(("name", "stage"), ASKED.items())
def test_a_product_says_whether_it_is_on_sale(name: str, stage: str | None) -> None:
    (chip,) = load().named(name).chips
    assert chip.stage == stage


def test_the_stage_stands_beside_the_date() -> None:
    (chip,) = load().find("MTIA 450")
    assert released_text(chip) == "2027 · announced"


@pytest.mark.parametrize(
    ("name", "count", "chip"),
    [("Groq 3 LPX", 256, "Groq 3 LPU"), ("Atlas 900 A3", 384, "Ascend 910C (dual die)"), ("GroqNode", 8, "GroqCard")],
)
def test_a_rack_or_node_is_so_many_chips(name: str, count: int, chip: str) -> None:
    found = load().named(name)
    assert found.machine is not None
    assert (found.machine.count, [one.name for one in found.chips]) == (count, [chip])


def test_there_are_products_enough() -> None:
    assert len(load().chips()) >= 1050
