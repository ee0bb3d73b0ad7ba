"""Paragraphs are laid out alike with and without rich: a pipe shows what the terminal showed."""

from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from accel.apps.render.page import Paragraph, lines_of, print_page, renderable

WORDS = st.text(alphabet="abcdefg,.-/=", min_size=1, max_size=30) | st.sampled_from(
    ["显卡", "驱动程序版本", "CUDA_VISIBLE_DEVICES=0,1", "ärger", "https://example.org/a/very/long/path?with=question"]
)
TEXTS = st.lists(st.lists(WORDS, max_size=12).map(" ".join), min_size=1, max_size=3).map("\n".join)


def by_rich(paragraph: Paragraph, width: int) -> list[str]:
    out = Console(width=width, file=StringIO(), highlight=False, emoji=False, markup=False)
    out.print(renderable(paragraph), soft_wrap=paragraph.whole)
    assert isinstance(out.file, StringIO)
    return without_empty_end([line.rstrip() for line in out.file.getvalue().split("\n")])


def without_empty_end(lines: list[str]) -> list[str]:
    return "\n".join(lines).rstrip("\n").split("\n")


@given(TEXTS, st.integers(40, 120), st.sampled_from([None, "", "why", "seen"]), st.integers(0, 6))
@settings(max_examples=300, deadline=None)
def test_both_ways_break_lines_at_the_same_places(text: str, width: int, label: str | None, indent: int) -> None:
    paragraph = Paragraph(text[: len(text) // 2], (text[len(text) // 2 :], "dim"), indent=indent, label=label)
    assert without_empty_end(list(lines_of(paragraph, width))) == by_rich(paragraph, width)


@pytest.mark.parametrize("width", [1, 8, 20, 40])
def test_a_command_is_never_broken(width: int) -> None:
    command = Paragraph("sudo apt-get install --yes nvidia-driver-580-server", indent=13, whole=True)
    assert list(lines_of(command, width)) == [" " * 13 + command.text]
    assert by_rich(command, width) == [" " * 13 + command.text]


@pytest.mark.parametrize("width", [1, 3, 12])
def test_a_width_narrower_than_the_label_loses_no_sign(width: int) -> None:
    lines = list(lines_of(Paragraph("thermal slowdown", indent=4, label="why"), width))
    assert "".join("".join(lines).split()) == "whythermalslowdown"


@pytest.mark.parametrize(("columns", "widest"), [("40", 40), ("0", 100), ("", 100), ("wide", 100), ("-5", 100)])
def test_what_is_piped_is_as_wide_as_columns_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str, widest: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    print_page([Paragraph("a " * 200)])
    assert {len(line) for line in capsys.readouterr().out.splitlines()[:-1]} == {widest - 1}


def test_a_terminal_shows_the_empty_lines_of_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = [Paragraph("a"), Paragraph(""), Paragraph("b", label="fix", room=11), Paragraph("")]
    monkeypatch.setenv("COLUMNS", "80")
    print_page(page)
    piped = capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    print_page(page)
    assert [line.rstrip() for line in capsys.readouterr().out.split("\n")] == piped.split("\n")
    assert piped.split("\n") == ["a", "", "fix          b", "", ""]


@pytest.mark.parametrize(("width", "first"), [(80, "  evidence     a b"), (40, "  evidence: a b")])
def test_a_wide_label_stands_before_its_text_on_a_narrow_page(width: int, first: str) -> None:
    paragraph = Paragraph("a b", indent=2, label="evidence", room=11).in_width(width)
    assert list(lines_of(paragraph, width)) == [first]
    command = Paragraph("nvidia-smi", indent=15, whole=True).in_width(width)
    assert list(lines_of(command, width)) == [" " * (15 if width == 80 else 4) + "nvidia-smi"]
