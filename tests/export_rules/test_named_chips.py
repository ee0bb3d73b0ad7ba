"""What is said of a name that several products bear: one verdict where they agree, each where they differ."""

from collections.abc import Iterator

import pytest

import accel
from accel.apps.cli.restrictions import run
from accel.model.errors import BadInput
from accel.specs import load
from accel.specs.export_rules.restrictions import verdicts


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("COLUMNS", "200")
    return


def test_one_verdict_for_all_is_the_answer_and_names_the_others() -> None:
    found = accel.restrictions("H100", date="2024-01-01")
    assert found.export.licence == "needed"
    assert {found.chip, *found.same_for} == {chip.name for chip in load().find("H100")}


def test_one_product_has_no_others() -> None:
    assert accel.restrictions("H100 PCIe", date="2024-01-01").same_for == ()


def test_verdicts_that_differ_are_refused_and_told_one_by_one() -> None:
    with pytest.raises(BadInput, match=r"they differ: a licence is needed for .*910B1.*; undecided for .*910B4\. Name"):
        accel.restrictions("昇腾910B", date="2024-01-01")


def test_an_unknown_name_is_refused_with_what_is_near() -> None:
    with pytest.raises(BadInput, match=r"No chip is called .*\. Similar: .*4090"):
        accel.restrictions("rtx 4095")


def test_the_command_says_what_its_answers_have_in_common(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["H100", "--date", "2024-01-01"]) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first == "'H100' is the name of 6 products, and for all of them a licence is needed."
    assert run(["H100", "PCIe", "--date", "2024-01-01"]) == 1
    assert capsys.readouterr().out.startswith("H100 PCIe 80GB")


def test_nothing_in_common_is_said_of_one() -> None:
    assert verdicts("H100", []) == ""
