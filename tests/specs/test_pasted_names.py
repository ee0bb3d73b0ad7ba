"""Names as tools print them, clouds sell them and people write them: each means its products, or shows all of them."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.apps.cli.specs import run
from accel.names.machines import key_of
from accel.names.pasted import readings, target_in
from accel.specs import load
from accel.specs.outlines import NOTE
from accel.specs.store import parse

CASES: dict[str, list[dict[str, Any]]] = {
    f"{file}: {kind}": cases
    for file in (
        "pasted",
        "pasted_later",
        "pasted_drawn",
        "pasted_marked",
        "pasted_sentences",
        "pasted_lists",
        "pasted_machines",
        "pasted_mentioned",
    )
    for kind, cases in parse(str(Path(__file__).parent / f"{file}.yaml")).items()
}


def mistakes(case: dict[str, Any]) -> list[str]:
    """Return how a name is understood otherwise than its case says."""
    named = load().named(case["text"])
    found = {chip.name for chip in named.chips if chip.note != NOTE}
    right = found == set(case["means"]) if "means" in case else found >= set(case["includes"])
    outlines = {chip.name for chip in named.chips if chip.note == NOTE}
    told = [] if right else [f"it means {sorted(found)}"]
    if outlines != set(case.get("outlines", outlines)):
        told.append(f"without figures it means {sorted(outlines)}")
    if named.count != case.get("count", named.count):
        told.append(f"there are {named.count}")
    if named.altered != case.get("altered", named.altered):
        told.append(f"the altered card has {named.altered} GiB")
    if case.get("part", False) and named.part is None:
        told.append("it is no part of one")
    return told


@pytest.mark.parametrize("kind", CASES)
def test_the_pasted_names_of_a_kind_mean_what_the_list_says(kind: str) -> None:
    assert {case["text"]: wrong for case in CASES[kind] if (wrong := mistakes(case))} == {}


def test_a_name_that_is_understood_otherwise_is_told() -> None:
    told = mistakes({"text": "8xH100", "means": ["H100 NVL"], "count": 4, "part": True})
    assert [words[:8] for words in told] == ["it means", "there ar", "it is no"]


def test_every_name_of_a_machine_finds_it_and_its_chips() -> None:
    specs = load()
    seen: dict[str, tuple[str, ...]] = {}
    for table_name, table in specs.tables("computers/"):
        for row in table["machines"]:
            for name in row["names"]:
                assert seen.setdefault(key_of(name), tuple(row["chips"])) == tuple(row["chips"]), name
                named = specs.named(name)
                assert named.machine is not None, (table_name, name)
                assert [chip.name for chip in named.chips] == row["chips"], name
                assert (named.count, named.part) == (row.get("count"), row.get("share")), name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "Orville",
        "p99.48xlarge",
        "v4-0",
        "v4-7",
        "v4-99999999",
        "ffff:ffff",
        "gfx9999",
        "Device 2330",
        "MIG",
        "1g.999gb",
        "GRID Z99-10C",
        "RTX 4095",
        "NVIDIA Graphics Device",
        "llvmpipe (LLVM 15.0.7, 256 bits)",
        "RTX 4095/4096",
        "01:00.0 VGA compatible controller: Matrox Electronics Systems Ltd. G200eR2 (rev 01)",
    ],
)
def test_what_is_no_products_name_means_nothing(text: str) -> None:
    assert load().named(text).chips == ()


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.text(max_size=80))
def test_no_text_breaks_what_names_mean(text: str) -> None:
    load().named(text)
    load().named(f"01:00.0 3D controller [0302]: {text} [10de:{text}] (rev a1)")
    assert len(list(readings(text))) < 16
    target_in(text)


def test_words_that_tell_no_product_are_set_aside_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    named = load().named("Lenovo Legion RTX 4080 Laptop")
    assert ([chip.name for chip in named.chips], named.aside) == (["GeForce RTX 4080 Laptop GPU"], ("lenovo", "legion"))
    assert run(["find", "Lenovo Legion RTX 4080 Laptop"]) == 0
    assert "(ignored: lenovo, legion)" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("text", "times", "count"),
    [
        ("8xH100", 8, 8),
        ("RTX 4090 ×2", 2, 2),
        ("两张4090", 2, 2),
        ("dual RTX 3090", 2, 2),
        ("2 RTX 3090s", 2, 2),
        ("Standard_ND96isr_H100_v5 x 4", 4, 32),
        ("p5.48xlarge", None, 8),
        ("NVIDIA A100 PCIe", None, None),
    ],
)
def test_how_many_there_are_is_no_part_of_the_name(text: str, times: int | None, count: int | None) -> None:
    named = load().named(text)
    assert named.chips
    assert (named.times, named.count) == (times, count)


@pytest.mark.parametrize(
    "text",
    [
        "RTX 4070 supr",
        "RTX 4070 laptp",
        "RTX 4090 Ti",
        "RX 580 2048SP",
        "A100 特供版",
        "A100 PCIe x16 card 3000",
        "0 x H100",
    ],
)
def test_a_word_that_may_tell_a_product_is_not_set_aside(text: str) -> None:
    assert [chip.name for chip in load().named(text).chips if chip.note != NOTE] == []


def test_the_command_says_how_many_chips_a_machine_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["find", "p5.48xlarge"]) == 0
    assert capsys.readouterr().out.startswith("p5.48xlarge (AWS): 8 × H100 SXM5 80GB\n")
    assert run(["show", "Standard_NV6ads_A10_v5"]) == 0
    assert capsys.readouterr().out.startswith("Standard_NV6ads_A10_v5 (Azure): 1/6 of one A10\n")
    assert run(["find", "gfx90a"]) == 1
    assert "gfx90a: the target of 3 products" in capsys.readouterr().out
    assert run(["find", "p99.48xlarge"]) == 2
    assert "no chip is named 'p99.48xlarge'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "each"),
    [
        ("3090 + P40", [(None, {"GeForce RTX 3090"}), (None, {"Tesla P40"})]),
        ("2x4090 and one 3060", [(2, {"GeForce RTX 4090"}), (1, {"GeForce RTX 3060 12GB", "GeForce RTX 3060 8GB"})]),
        ("two 3090s, RTX 4090 24GB", [(2, {"GeForce RTX 3090"}), (None, {"GeForce RTX 4090"})]),
        ("两张3090和一张P40", [(2, {"GeForce RTX 3090"}), (1, {"Tesla P40"})]),
        ("2x L40S 4x L4", [(2, {"L40S"}), (4, {"L4"})]),
        ("i9-13900K, 64GB RAM, RTX 4090, Tesla T4", [(None, {"GeForce RTX 4090"}), (None, {"Tesla T4"})]),
    ],
)
def test_several_devices_in_one_text_are_told_apart(text: str, each: list[tuple[int | None, set[str]]]) -> None:
    named = load().named(text)
    assert [(one.count, {chip.name for chip in one.chips}) for one in named.each] == each
    assert {chip.name for chip in named.chips} == set().union(*(names for _, names in each))


@pytest.mark.parametrize(
    ("text", "count"),
    [("2x 4090 and one 3060", 3), ("3090 + P40", None), ("two 3090s and a 4090", 3), ("RTX 3090 + RTX 3090 + P40", 3)],
)
def test_devices_of_a_text_are_counted_together(text: str, count: int | None) -> None:
    assert load().named(text).count == count


@pytest.mark.parametrize(
    ("text", "chips", "count"),
    [
        ("my laptop has a 4060", {"GeForce RTX 4060 Laptop GPU"}, None),
        ("we ran it on 8 A100s with 80GB each", {"A100 SXM4 80GB", "A100 PCIe 80GB"}, 8),
        ("one RTX 3060 with 12 gigs of vram on windows 11", {"GeForce RTX 3060 12GB"}, 1),
        ("RTX 4070 with driver 550.54.14, CUDA 12.4 on Ubuntu 22.04, 64GB RAM", {"GeForce RTX 4070"}, None),
        ("Ryzen 9 5950X machine with 3 RTX 3090 at 300 W", {"GeForce RTX 3090"}, 3),
        ("GPU 0: Tesla T4 45C 70W / 70W", {"Tesla T4"}, None),
        ("--gres=gpu:h100-96:2", {"H100 SXM5 96GB"}, 2),
        ('gpu="A100-80GB:2"', {"A100 SXM4 80GB", "A100 PCIe 80GB"}, 2),
    ],
)
def test_the_one_name_of_a_sentence_is_read_with_what_is_said_of_it(
    text: str, chips: set[str], count: int | None
) -> None:
    named = load().named(text)
    assert ({chip.name for chip in named.chips}, named.count) == (chips, count)


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("we use an RTX 4070 supr", ("supr",)),
        ("my RTX 3090 foo4000 is slow", ("foo4000",)),
        ("XPS 15 with an RTX 3090 rev2 inside", ("rev2",)),
        ("RTX 4095", ("4095",)),
    ],
)
def test_the_words_that_were_not_understood_are_told(text: str, unknown: tuple[str, ...]) -> None:
    named = load().named(text)
    assert (named.chips, named.unknown) == ((), unknown)


def test_the_command_tells_devices_apart_and_words_that_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["find", "2x4090 + P40"]) == 1
    assert capsys.readouterr().out.startswith("2 × GeForce RTX 4090; Tesla P40\n")
    assert run(["find", "RTX 4070 supr"]) == 2
    assert "Not understood: 'supr'." in capsys.readouterr().err
