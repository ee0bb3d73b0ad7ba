"""No text makes a core reader raise, run away, or name a device."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.facts.readers import core_readers
from accel.text.clean import clean, sections

HERE = Path(__file__).parent
TEXTS = [path.read_text(encoding="utf-8") for path in sorted((HERE / "cases").glob("*.txt"))]
HOSTILE = {
    "one-long-line": "a1." * 60_000,
    "digits": "1" * 200_000,
    "dots": "1.1" * 60_000,
    "blanks": " " * 200_000 + "x",
    "quotes": "> " * 50_000 + "torch 2.1",
    "brackets": "(" * 50_000 + "[" * 50_000,
    "dashes": "- " * 50_000,
    "equals": "CUDA_VISIBLE_DEVICES=" * 8_000,
    "at-signs": "root@" * 20_000,
    "frames": '  File "/x/lib/python3.10/site-packages/y.py", line 1\n' * 4_000,
    "list-without-versions": "Package Version\n" * 10_000,
    "backslashes": "C:\\" * 40_000 + "\n" + "\\\n" * 20_000,
    "documents": "PyTorch version: \nIs debug build: \n" * 5_000,
}


def read_and_check(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.count("\n") == text.replace("\r\n", "\n").count("\n") or "\r" in text
    for _, section in sections(cleaned):
        assert section.count("\n") == cleaned.count("\n")
        for reader in core_readers():
            for reading in reader.read(section):
                assert all(report.devices == () for report in reading.reports)


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_text_is_read_to_its_end(name: str) -> None:
    read_and_check(HOSTILE[name])


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TEXTS), st.integers(0, 2000), st.integers(0, 2000), st.text(max_size=40))
def test_cut_and_spoilt_texts_never_raise(text: str, start: int, length: int, junk: str) -> None:
    read_and_check(text[start : start + length] + junk + text[: start // 2])


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=400))
def test_foreign_text_never_raises(text: str) -> None:
    read_and_check(text)


def test_prose_says_nothing_of_an_environment() -> None:
    text = "Dear all,\nplease find the minutes of our meeting below. We agreed on 2.5 per cent, from 12.4 to 14.9.\n"
    readings = [r for reader in core_readers() for r in reader.read(text)]
    assert readings == []


@pytest.mark.skipif("ACCEL_CORPUS" not in os.environ, reason="ACCEL_CORPUS names no folder of recorded reports")
def test_no_recorded_text_makes_a_reader_raise() -> None:
    paths = sorted(Path(os.environ["ACCEL_CORPUS"]).rglob("*.txt"))
    assert paths
    for path in paths:
        read_and_check(path.read_text(encoding="utf-8", errors="replace"))
