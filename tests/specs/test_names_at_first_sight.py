"""Names that were answered before they were looked up; and every product's name with one word or figure too many."""

import re
from pathlib import Path
from typing import Any

import pytest

from accel.apps.cli.specs import run
from accel.apps.sdk.chip_spec import spec
from accel.names.direct import directly_named, exactly_named
from accel.names.meaning import Named
from accel.names.named import named
from accel.specs import load
from accel.specs.store import parse

CASES: dict[str, list[dict[str, Any]]] = parse(str(Path(__file__).with_name("names_at_first_sight.yaml")))
EVERY = 9  # products of which one is tried


def is_certain(meant: Named) -> bool:
    return len(meant.chips) == 1 and meant.altered is None


def is_namesake(text: str, bare: str) -> bool:
    """Return whether the product that is meant bears the name, and has just the memory of the text: a laptop's."""
    (chip,) = load().named(text).chips
    size = re.search(r" (\d+)GB$", text)
    memory = round((chip.memory_bytes or 0) / 2**30)
    return chip.name.startswith(f"{bare} ") and size is not None and int(size[1]) == memory


def mistakes(case: dict[str, Any]) -> list[str]:
    """Return how a name is understood otherwise than its case says."""
    meant = load().named(case["text"])
    found = {chip.name for chip in meant.chips}
    told = []
    if found != set(case.get("means", found)) or not found >= set(case.get("includes", ())):
        told.append(f"it means {sorted(found)}")
    if "each" in case and not (found and all(re.search(case["each"], name) for name in found)):
        told.append(f"it means {sorted(found)}")
    if found and (case.get("refused") or case.get("unknown_yet")):
        told.append(f"it means {sorted(found)}")
    if case.get("unknown_yet") and not meant.unknown:
        told.append("it is not told which word is unknown")
    if case.get("uncertain") and is_certain(meant):
        told.append(f"it is certain: {sorted(found)}")
    if meant.count != case.get("count", meant.count):
        told.append(f"there are {meant.count}")
    if case.get("part") and meant.part is None:
        told.append("it is no part of one")
    return told


@pytest.mark.parametrize("kind", CASES)
def test_the_names_of_a_kind_mean_what_was_written_down(kind: str) -> None:
    assert {case["text"]: wrong for case in CASES[kind] if (wrong := mistakes(case))} == {}


def test_a_name_that_is_understood_otherwise_is_a_mistake() -> None:
    assert mistakes({"text": "RTX 4090", "refused": True, "uncertain": True, "part": True, "count": 2})
    assert mistakes({"text": "RTX 4090", "means": ["A100"]}) == ["it means ['GeForce RTX 4090']"]
    assert mistakes({"text": "RTX 4095", "unknown_yet": True}) == []


def test_what_is_refused_names_the_word_that_was_not_understood() -> None:
    refused = [case["text"] for cases in CASES.values() for case in cases if case.get("refused")]
    silent = [text for text in refused if not load().named(text).unknown]
    assert len(refused) > 90
    assert len(silent) < len(refused) / 10, silent


def test_no_product_is_certain_with_a_word_or_a_figure_too_many() -> None:
    specs = load()
    certain = []
    for chip in specs.chips()[::EVERY]:
        name = chip.name.partition(" (")[0]
        if not is_certain(specs.named(name)):
            continue
        bare = re.sub(r" \d+GB", "", name)
        memory = round(chip.memory_bytes / 2**30) if chip.memory_bytes else 0
        own = "unified" in (chip.memory_type or "") or not memory
        wrong = [
            f"{name} Zeta",
            f"{name} Neo",
            *([] if own else [f"{bare} {3 * memory}GB", f"{bare} {memory + memory // 4 + 1}GB"]),
        ]
        for maker in {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel"}.items():
            wrong += [f"{maker[1]} {name}"] if maker[0] != chip.vendor and not name.startswith(maker[1]) else []
        sign = name.split()[-1]
        if re.fullmatch(r"[A-Z]?\d{1,4}[A-Z]?", sign):
            wrong += [f"{maker} {sign}" for maker in ("Zorbo", "velara", "博纳科技", "Panasonic")]
        certain += [t for t in wrong if not specs.find(t) and is_certain(specs.named(t)) and not is_namesake(t, bare)]
    assert certain == []


@pytest.mark.parametrize(
    "text",
    [
        "ＲＴＸ　４０９０",
        "ＲＴＸ４０９０",
        "RTX\u00a04090",
        "RTX\t4090\r\n",
        "RTX 4090 🔥",
        "RTX\x00 4090",
        "\u202aRTX 4090\u202c",
    ],
)
def test_a_name_is_read_in_the_signs_in_which_it_was_pasted(text: str) -> None:
    meant = load().named(text)
    assert ([chip.name for chip in meant.chips], meant.asked) == (["GeForce RTX 4090"], text)


@pytest.mark.parametrize(
    "text", ["Н100", "А100", "RТX 4090", "٤٠٩٠", "RTX 4090²", "H100ⅷ", "Hı00", "RTX\x1b[31m 4090", "\ud83d", "", "\x00"]
)
def test_signs_that_only_look_like_a_name_are_none(text: str) -> None:
    assert load().named(text).chips == ()


@pytest.mark.parametrize(
    "sign", ["a", "4090 ", "H100, ", "昇腾", "(", "[", "-", "/", "8x", "+", "RTX 4090 / ", "🔥", "\t "]
)
def test_a_name_of_ten_thousand_signs_is_answered(sign: str) -> None:
    long = (sign * 10_000)[:10_000]
    assert all(chip.name in ("GeForce RTX 4090",) or "H100" in chip.name for chip in load().named(long).chips)


def test_a_text_that_needs_no_reading_means_what_its_reading_says() -> None:
    specs = load()
    texts = [name for chip in specs.chips() for name in (chip.name, *chip.aliases, *chip.families)]
    texts += [case["text"] for cases in CASES.values() for case in cases]
    sentences = 0
    for text in texts:
        short = exactly_named(specs, specs._index(), text) or directly_named(specs, specs._index(), text, specs.find)
        if short is not None:
            sentences += bool(short.aside)
            whole = named(specs, specs._index(), text, specs.find)
            assert ([*short.chips], short.count) == ([*whole.chips], whole.count), text
            assert (whole.machine, whole.part) == (None, None), text
    assert sentences >= 10


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("is the 5070 better than the 4070 super", {"GeForce RTX 5070", "GeForce RTX 4070 SUPER"}),
        ("my 3090 died so I bought an RTX 4090", {"GeForce RTX 3090", "GeForce RTX 4090"}),
        ("Running Qwen2.5-72B on 4x L40S, tp=4, getting 12 tok/s", {"L40S"}),
        ("AMD Ryzen 5 5600 (6C/12T), 32 GB, Radeon RX 6700 XT", {"Radeon RX 6700 XT"}),
    ],
)
def test_a_sentence_loses_no_device_and_gains_none(text: str, names: set[str]) -> None:
    assert {chip.name for chip in load().named(text).chips} == names


def test_an_altered_card_is_told_and_not_certain(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["find", "RTX 3090 48GB"]) == 1
    assert "altered. Its maker sells it with 24 GB, not 48 GB" in " ".join(capsys.readouterr().out.split())
    assert load().named("2x RTX 3090 48GB").altered is None  # of both together


def test_a_line_alone_names_all_of_its_products() -> None:
    titans = load().named("NVIDIA TITAN").chips
    assert {"TITAN V", "TITAN RTX", "GeForce GTX TITAN", "TITAN Xp"} < {chip.name for chip in titans}
    assert [chip.name for chip in load().named("GeForce GTX TITAN").chips] == ["GeForce GTX TITAN"]


@pytest.mark.parametrize(
    ("text", "size"), [("Tesla T4 32GB", "32GB"), ("A100-SXM4-48GB", "48GB"), ("Gaudi 2 128GB", "128GB")]
)
def test_a_size_that_no_product_of_the_name_has_is_what_is_not_understood(text: str, size: str) -> None:
    meant = load().named(text)
    assert (meant.chips, meant.unknown) == ((), (size,))


def test_the_specification_of_an_altered_card_gives_no_memory() -> None:
    found = spec("RTX 3060 24GB")
    assert found is not None
    assert found.memory_bytes is None
    assert ["24 GB" in gap.reason and "12 GB" in gap.reason for gap in found.gaps if gap.fact == "memory_bytes"] == [
        True
    ]
