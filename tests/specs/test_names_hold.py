"""What a name means stays the same however it is written and whatever stands around it."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.names.meaning import plainly_named
from accel.names.named import named
from accel.specs import Specs, load
from accel.specs.store import bundled

MAKERS = {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel"}
WRITTEN: dict[str, Callable[[str], str]] = {
    "in lower case": str.lower,
    "in upper case": str.upper,
    "with hyphens": lambda name: name.replace(" ", "-"),
    "with underlines": lambda name: name.replace(" ", "_"),
    "with more blanks": lambda name: name.replace(" ", "  "),
    "with a blank in its memory": lambda name: re.sub(r"(\d)GB", r"\1 GB", name),
    "with G for GB": lambda name: re.sub(r"(\d)GB", r"\1G", name),
    "with GiB for GB": lambda name: re.sub(r"(\d)GB", r"\1GiB", name),
    "in quotes": '"{}"'.format,
    "in a list": "- {}".format,
    "behind a label": "Device name: {}".format,
}
SAID: dict[str, Callable[[str], str]] = {
    "before a driver": "{}, driver 550.54.14".format,
    "in nvidia-smi's list": "GPU 0: {} (UUID: GPU-5a1b2c3d-1111-2222-3333-444455556666)".format,
    "counted before": "2x {}".format,
    "counted behind": "{} x2".format,
    "with an article": "a {}".format,
    "in a sentence": "We run it on {} in our server.".format,
    "in a complaint": "my {} is slow".format,
}


def meant(text: str) -> set[str]:
    return {chip.name for chip in load().named(text).chips}


@settings(max_examples=25, deadline=None)
@given(place=st.integers(0, 10**6))
def test_a_name_means_the_same_however_it_is_written(place: int) -> None:
    chips = load().chips()
    chip = chips[place % len(chips)]
    wanted = meant(chip.name)
    assert chip.name in wanted
    maker = MAKERS.get(chip.vendor)
    ways = {**WRITTEN}
    if maker and not chip.name.startswith(maker):
        ways |= {"behind its maker": f"{maker} {{}}".format, "behind a mark": f"{maker}(R) {{}}".format}
    assert {way: text for way, write in ways.items() if meant(text := write(chip.name)) != wanted} == {}


@settings(max_examples=25, deadline=None)
@given(place=st.integers(0, 10**6))
def test_a_name_with_a_number_means_the_same_in_a_sentence(place: int) -> None:
    names = [chip.name for chip in load().chips() if re.search(r"\d\d", chip.name) and "(" not in chip.name]
    name = names[place % len(names)]
    wanted = meant(name)
    assert {way: text for way, write in SAID.items() if meant(text := write(name)) != wanted} == {}


@pytest.mark.parametrize(
    "text", ["I use nvidia 470 on Ubuntu", "Intel 770 is slow", "NVIDIA 535 driver with CUDA 12", "AMD 4090"]
)
def test_a_number_beside_a_maker_names_no_product_of_another(text: str) -> None:
    assert meant(text) == set()


def test_the_order_of_questions_changes_no_answer() -> None:
    texts = [
        "my laptop has a 4060",
        "NVIDIA Corporation GA107 [RTX A2000 Embedded GPU]",
        "Lenovo Legion RTX 4080 Laptop",
    ]
    one, other = Specs((bundled(),)), Specs((bundled(),))
    first = [{chip.name for chip in one.named(text).chips} for text in texts]
    again = [{chip.name for chip in other.named(text).chips} for text in reversed(texts)]
    assert first == again[::-1]


def test_a_name_of_a_record_means_what_the_reading_of_names_says_of_it() -> None:
    specs = load()
    plain = 0
    for chip in specs.chips():
        words = chip.name.split()
        ends = [" ".join(words[start:]).lower() for start in range(len(words))]
        for name in (chip.name, *chip.aliases, *chip.families, *ends):
            short = plainly_named(name, specs.chip)
            if short is not None:
                plain += 1
                whole = named(specs, specs._index(), name, specs.find)
                assert short == replace(whole, machine=None, by="name"), name
    assert plain > 2000
