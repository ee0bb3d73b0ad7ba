"""Chips are found by the names that drivers, tools and people give them, and never guessed."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.specs import load
from accel.specs.store import parse

CASES = [
    pytest.param(case, id=f"{group}: {case['text']}")
    for group, cases in parse(str(Path(__file__).with_name("names.yaml"))).items()
    for case in cases
]


@pytest.mark.parametrize("case", CASES)
def test_a_name_gives_its_capability_and_its_chip(case: dict[str, Any]) -> None:
    specs = load()
    if "capability" in case:
        assert specs.compute_capability(case["text"]) == case["capability"]
    if "target" in case:
        assert specs.compute_target(case["text"]) == case["target"]
    chip = specs.chip(case["text"])
    assert (chip and chip.name) == case["chip"]


@pytest.mark.parametrize(
    ("name", "pci_id", "chip"),
    [
        (None, "10de:2330", "H100 SXM5 80GB"),
        ("NVIDIA GeForce RTX 3080", "10de:220a", "GeForce RTX 3080 12GB"),
        ("NVIDIA GeForce RTX 4060 Ti", "10DE:2805", "GeForce RTX 4060 Ti 16GB"),
        ("Quadro RTX 8000", "10de:1e30", "Quadro RTX 8000"),
        (None, "10de:1e30", None),
        (None, "10de:ffff", None),
    ],
)
def test_a_pci_id_tells_chips_of_one_name_apart(name: str | None, pci_id: str, chip: str | None) -> None:
    found = load().chip(name, pci_id=pci_id)
    assert (found and found.name) == chip


def test_a_vendor_keeps_namesakes_of_others_out() -> None:
    assert load().chip("Tesla T4", vendor="amd") is None
    assert load().chip("Ascend910B3", vendor="Huawei") is not None


def test_a_backend_with_tables_of_its_own_has_its_makers_chips() -> None:
    specs = load()
    assert any(name.startswith("gaudi/") for name, _ in specs.tables("", "/checks/"))
    assert [chip.name for chip in specs.find("HL-225", "gaudi")] == ["Gaudi2 (HL-225)"]


def test_every_chip_is_found_by_every_name_that_is_its_alone() -> None:
    specs = load()
    bearers: dict[str, set[str]] = {}
    for chip in specs.chips():
        for name in (chip.name, *chip.aliases, *chip.families):
            bearers.setdefault(name, set()).add(chip.name)
    for chip in specs.chips():
        for name in (chip.name, *chip.aliases):
            if len(bearers[name]) == 1:
                found = specs.chip(name, vendor=chip.vendor)
                assert found is not None, name
                assert found.name == chip.name


def test_a_chip_has_the_facts_of_its_record() -> None:
    chip = load().chip("NVIDIA H100 80GB HBM3")
    assert chip is not None
    assert (chip.vendor, chip.architecture, chip.kind, chip.compute_capability) == ("nvidia", "hopper", "gpu", "9.0")
    assert chip.memory_bytes == 80 * 2**30
    assert chip.tdp_watts == 700
    assert chip.nvswitch is True
    assert chip.slowdown_celsius is None
    assert chip.sources
    assert chip.confidence


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40))
def test_no_text_breaks_the_search(text: str) -> None:
    load().chip(text)
    load().compute_capability(text + "...")


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["GeForce GTX 1080 Ti", "NVIDIA A100-SXM4-80GB", "Radeon RX 7900 XTX"]), st.integers(1, 20))
def test_a_cut_name_never_gives_another_chip(name: str, kept: int) -> None:
    whole, cut = load().chip(name), load().chip(name[:kept] + "...")
    assert whole is not None
    assert cut is None or cut.name == whole.name or not name.startswith(cut.name)


@pytest.mark.parametrize(
    ("table", "field"),
    [("nvidia/compute_capabilities", "compute_capability"), ("amd/compute_targets", "compute_target")],
)
def test_every_listed_name_gives_what_the_list_says(table: str, field: str) -> None:
    specs = load()
    ask = getattr(specs, field)
    for group in specs.table(table)["compute_names"]:
        for name in group["names"]:
            assert ask(name) == group[field], name


@pytest.mark.parametrize(
    ("vendor", "name", "pci_id", "chip"),
    [
        ("metax", "MXC500", None, "C500"),
        ("metax", "MetaX C500", None, "C500"),
        ("metax", "MetaX C550", None, "C550"),
        ("metax", "MetaX N260", None, "N260"),
        ("metax", "MXC600-AL", None, "C600"),
        ("enflame", "S60", "1e36:c035", "Enflame S60"),
        ("enflame", "Enflame S60G", None, "S60G"),
        ("enflame", None, "1e36:8001", "i20"),
        ("iluvatar", "Iluvatar BI-V150", None, "BI-V150"),
        ("iluvatar", "BI-V100", None, "BI-V100"),
        ("iluvatar", "Iluvatar MR-V100", None, "MR-V100"),
        ("kunlun", "R200", None, "R200"),
        ("kunlun", "K100", None, "Kunlunxin K100"),
        ("kunlun", "P800 PCIe", "2057:3686", "P800 PCIe"),
        ("hygon", "K100_AI", "1d94:6210", "DCU K100-AI"),
        ("hygon", "K100", None, "DCU K100"),
        ("hygon", "BW", None, None),
        ("mthreads", "MTT S5000", "1ed5:0400", "MTT S5000"),
        ("cambricon", "MLU370-S4", None, "MLU370-S4"),
        ("cambricon", "MLU370", None, None),
    ],
)
def test_what_a_makers_tool_prints_is_the_chip_or_a_family(
    vendor: str, name: str | None, pci_id: str | None, chip: str | None
) -> None:
    found = load().chip(name, vendor=vendor, pci_id=pci_id)
    assert (found and found.name) == chip


def test_namesakes_of_several_makers_are_told_apart_by_the_maker() -> None:
    specs = load()
    assert {chip.name for chip in specs.find("K100")} == {"DCU K100", "Kunlunxin K100"}
    assert [chip.name for chip in specs.find("海光K100")] == ["DCU K100"]
    assert [chip.name for chip in specs.find("昆仑芯K100")] == ["Kunlunxin K100"]
    assert [chip.name for chip in specs.find("MTT S60")] == ["MTT S60"]
    assert [chip.name for chip in specs.find("燧原S60")] == ["Enflame S60"]
