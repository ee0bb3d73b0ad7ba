"""The words of a whole text decide last whether it reports a fault that is there now, and never of bare output."""

import json
from pathlib import Path

import pytest

from accel.apps.cli import main
from accel.collect.live import judged
from accel.collect.status.reads_as_report import features, likelihood
from accel.collect.text import read_texts
from accel.plugins.registry import Registry

REGISTRY = Registry({})
TABLE = REGISTRY.specs.table("language/report_words")
ERROR = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
REPORT = f"""I installed torch again this morning and my script still fails with the same message.
Any idea what to try next?
{ERROR}
"""
RECORD = f"""The nightly job of the lab, written down by its operator.
{ERROR}
The image was built in spring and has the wheel of that time.
"""
CARD = f"""Quick card for the helpdesk, rev C, keep it beside the console.
Typical line: {ERROR}
Meaning: the build has no code for this generation. What to do: 1 ask for the card 2 send the link to
the page of builds.
"""


def lines(text: str, kind: str = "prose") -> list[tuple[str, str]]:
    return [("output" if line == ERROR else kind, line) for line in text.splitlines()]


def test_a_report_is_likelier_than_a_record_of_the_same_error() -> None:
    report, card = likelihood(lines(REPORT), (3,), TABLE), likelihood(lines(CARD), (2,), TABLE)
    assert report is not None
    assert card is not None
    assert card < 0.5 < report


@pytest.mark.parametrize(
    "text",
    [ERROR, f"$ python train.py\n{ERROR}", f"It fails:\n{ERROR}", "\n".join([ERROR] * 40)],
    ids=["an error alone", "a session", "few words", "many errors"],
)
def test_what_is_hardly_more_than_output_is_not_weighed(text: str) -> None:
    told = [("output" if line == ERROR else "prose", line) for line in text.splitlines()]
    faults = [number for number, (_, line) in enumerate(told, 1) if line == ERROR]
    assert likelihood(told, faults, TABLE) is None
    assert [finding.name for finding in judged(read_texts([("r", text)], REGISTRY), REGISTRY).findings] != []


def test_without_a_table_nothing_is_weighed() -> None:
    assert likelihood(lines(REPORT), (3,), None) is None
    assert likelihood(lines(REPORT), (3,), {"bias": 0.0, "weights": {"nobody": 1.0}}) is None


def test_case_numbers_and_blank_lines_do_not_matter() -> None:
    told = [("prose", "Fixed on 12 May"), ("blank", ""), ("output", "x")]
    assert list(features(told)) == list(features([("prose", "fixed on 7 may"), ("output", "X")]))


def test_the_weights_are_of_words_and_pairs_of_them() -> None:
    assert 1000 < len(TABLE["weights"]) <= 4000
    assert all(1 <= len(word.split(" ")) <= 2 for word in TABLE["weights"])
    assert all(isinstance(weight, float | int) for weight in TABLE["weights"].values())


def test_a_fault_that_may_be_over_is_an_open_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accel.collect.status.likelihood", lambda *_: 0.15)
    path = tmp_path / "report.txt"
    path.write_text(RECORD, encoding="utf-8")
    assert main(["doctor", "--from", str(path), "--json"]) == 3
    answer = json.loads(capsys.readouterr().out)
    assert answer["verdict"] == "undecided"
    assert [one["status"] for one in answer["mentioned"]] == ["unclear"]
    assert answer["open_questions"][0]["unknown"] == "Whether this still happens"
    assert main(["doctor", "--from", str(path)]) == 3
    screen = capsys.readouterr().out
    assert "Whether this still happens" in screen
    assert "Mentioned" not in screen


def test_a_fault_of_a_text_that_is_no_report_is_mentioned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accel.collect.status.likelihood", lambda *_: 0.01)
    path = tmp_path / "card.txt"
    path.write_text(CARD, encoding="utf-8")
    assert main(["doctor", "--from", str(path)]) == 0
    assert "the text reads as a record" in " ".join(capsys.readouterr().out.split())
