"""`accel specs` and `accel restrictions` on the command line."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from accel.apps.cli import main
from accel.specs import load
from accel.specs.sources import citations


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    said = capsys.readouterr()
    return code, said.out, said.err


def test_show_gives_the_facts_of_one_chip(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = asked(capsys, "specs", "show", "h100", "sxm")
    assert code == 0
    assert "H100 SXM5 80GB" in out
    assert "3.35 TB/s" in out
    assert "sums in fp32" in out


def test_show_as_json_has_the_chip_and_its_rates(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = asked(capsys, "specs", "show", "Tesla V100-SXM2-32GB", "--json")
    answer = json.loads(out)
    assert (code, answer["schema"], answer["chip"]["name"]) == (0, "accel.spec/1", "Tesla V100 SXM2 32GB")
    assert {"dtype": "fp16", "accumulator": "fp32"}.items() <= answer["chip"]["rates"][-2].items()
    assert answer["ambiguous"] is False


def test_a_name_of_several_products_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = asked(capsys, "specs", "show", "昇腾910B")
    assert code == 1
    assert "the name of 4 products" in out
    answer = json.loads(asked(capsys, "specs", "show", "昇腾910B", "--json")[1])
    assert answer["ambiguous"] is True
    assert len(answer["candidates"]) == 4


def test_an_unknown_name_exits_2_with_near_misses(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = asked(capsys, "specs", "show", "rtx", "4095")
    assert code == 2
    assert "GeForce RTX 4090" in err
    assert json.loads(asked(capsys, "specs", "show", "rtx 4095", "--json")[1])["chip"] is None


def test_compare_puts_ratios_beside_figures(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = asked(capsys, "specs", "compare", "H100 SXM5", "H200")
    assert code == 0
    assert "1.43×" in out
    assert asked(capsys, "specs", "compare", "H100 SXM5", "rtx 4095")[0] == 2


def test_rank_draws_a_ladder_and_a_picture(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / "ladder.svg"
    code, out, _ = asked(capsys, "specs", "rank", "--by", "bf16/watt", "--top", "3", "--svg", str(picture))
    assert code == 0
    assert out.count("TFLOPS/W") == 3
    assert "█" in out
    assert len(ElementTree.parse(picture).getroot().findall("{*}rect")) == 4
    ladder = json.loads(asked(capsys, "specs", "rank", "--by", "memory", "--json")[1])["ladder"]
    values = [step["value"] for step in ladder]
    assert values == sorted(values, reverse=True)


def test_a_measure_or_range_that_is_none_exits_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, "specs", "rank", "--by", "speed")[0] == 2
    code, _, err = asked(capsys, "specs", "list", "--memory", "much")
    assert code == 2
    assert "expected a number or a range" in err


def test_list_filters(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = asked(capsys, "specs", "list", "--vendor", "amd", "--dtype", "fp8", "--memory", "128", "--json")
    assert code == 0
    names = {chip["name"] for chip in json.loads(out)["chips"]}
    assert "Instinct MI300X" in names
    assert "Instinct MI250X" not in names
    assert asked(capsys, "specs", "list", "--year", "1999")[0] == 1


def test_devices_of_a_report_are_matched(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    report = tmp_path / "report.txt"
    report.write_text("GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-7f2ab0c1-1111-2222-3333-444455556666)\n")
    code, out, _ = asked(capsys, "specs", "devices", "--from", str(report), "--json")
    assert code == 0
    assert [device["chip"]["name"] for device in json.loads(out)["devices"]] == ["A100 SXM4 80GB"]
    code, out, _ = asked(capsys, "restrictions", "--from", str(report), "--date", "2024-06-01")
    assert code == 1
    assert "nvidia:0: A100 SXM4 80GB" in out


def test_restrictions_print_the_arithmetic_and_the_clause(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = asked(capsys, "restrictions", "H20", "--date", "2024-06-01", "--to", "China")
    assert code == 0
    assert "= 2368" in out
    assert "2368 ÷ 814 mm²" in out
    assert "Thin margins" in out
    assert "What changed since" in out
    assert "Not legal advice" in out


def test_restrictions_as_json_have_no_number_that_json_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = asked(capsys, "restrictions", "910B4", "--date", "2024-06-01", "--json")
    assert "Infinity" not in out
    answer = json.loads(out)
    assert (code, answer["schema"]) == (1, "accel.restrictions/1")
    assert answer["results"][0]["export"]["licence"] == "undecided"
    assert answer["results"][0]["technical"]


def test_a_country_or_day_that_is_none_exits_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, "restrictions", "H20", "--to", "Atlantis")[0] == 2
    assert asked(capsys, "restrictions", "H20", "--date", "yesterday")[0] == 2


def test_validate_exits_1_for_a_mistake(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert asked(capsys, "specs", "validate", str(tmp_path))[0] == 0
    (tmp_path / "odd.yaml").write_text("a: [\n")
    code, out, _ = asked(capsys, "specs", "validate", str(tmp_path))
    assert code == 1
    assert "odd.yaml: cannot be read" in out


def test_show_names_the_sources_by_title_and_address(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = asked(capsys, "specs", "show", "L4")
    told = [line.strip() for line in out.partition("Sources:\n")[2].splitlines()]
    assert any(line.startswith("NVIDIA L4 data sheet, https://") and "cited by another source" in line for line in told)
    assert not {"l4", "adawp", "ogkm"} & {line.split(",")[0] for line in told}


def test_nearly_every_page_that_chips_cite_has_a_title() -> None:
    specs = load()
    cited = {s.address: s.title for chip in specs.chips() for s in citations(specs, chip) if "://" in s.address}
    bare = [address for address, title in cited.items() if title in address]
    assert len(bare) < 0.2 * len(cited)
