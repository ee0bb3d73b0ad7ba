"""Secrets and people that no name or sign tells: in prose, answers, tables without headings, split over lines."""

import re
from pathlib import Path
from typing import Any

import pytest
from planting import left

from accel.apps.privacy.shapes import is_drawn, is_encoded_text
from accel.apps.privacy.tables import tables
from accel.apps.privacy.texts import redacted_texts
from accel.specs.store import parse
from accel.text.backtracking import faults

FORMS: dict[str, Any] = parse(str(Path(__file__).with_name("planting") / "unnamed.yaml"))
_HIDDEN = re.compile("«([^»]+)»")


def shown(text: str) -> str:
    return redacted_texts([text])[0]


@pytest.mark.parametrize("form", FORMS["hidden"])
def test_what_no_name_tells_does_not_leave(form: str) -> None:
    hidden = [part for one in _HIDDEN.findall(form) for part in one.split("\n")]
    text = form.replace("«", "").replace("»", "")
    once = shown(text)
    assert hidden
    assert left(once, hidden) == [], once
    assert once.count("\n") == text.count("\n")
    assert shown(once) == once


@pytest.mark.parametrize("text", FORMS["stays"])
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert shown(text) == text


def test_a_name_that_one_line_tells_is_hidden_in_all_of_them_in_any_case() -> None:
    told = shown("tlindqvist@borealis7:~$ ls /opt/tlindqvist_env\nTlindqvist on borealis7-ib0, /tmp/run-tlindqvist\n")
    assert told == "user-1@host-1:~$ ls /opt/user-1_env\nuser-1 on host-1-ib0, /tmp/run-user-1\n"


def test_a_name_that_is_also_a_word_is_hidden_in_its_place_alone() -> None:
    assert shown("/home/hopper/x\nan H100 is a Hopper") == "/home/user-1/x\nan H100 is a Hopper"
    assert shown("https://registry.acme.lan/x\nthe registry fails") == "https://host-1/x\nthe registry fails"


@pytest.mark.parametrize(
    ("run", "drawn"),
    [
        ("kJ8sq1ZzT0pLmNb47VxCwQe9", True),
        ("9f86d081884c7d659a2feaa0c55ad015", True),
        ("x7k2m9qp4v8s1t6w3z5b0n2c", True),
        ("cudaErrorInsufficientDriver2", False),
        ("00000000000000000000000000000001", False),
        ("Qwen2ForCausalLMWithCache", False),
    ],
)
def test_chance_is_told_from_words(run: str, drawn: bool) -> None:
    assert is_drawn(run) is drawn


@pytest.mark.parametrize(
    ("run", "encoded"), [("dGxpbmRxdmlzdDpzM2NyM3Q=", True), ("libtorch/lib/x86/core", False), ("d2hpY2g", False)]
)
def test_encoded_text_is_known(run: str, encoded: bool) -> None:
    assert is_encoded_text(run) is encoded


@pytest.mark.parametrize("kind", ["tokens", "programs", "names", "people", "answers"])
def test_every_form_of_the_tables_takes_linear_time(kind: str) -> None:
    rows = getattr(tables(), kind)
    told = {row.form.pattern: faults(row.form.pattern, row.form.flags & ~re.UNICODE, searched=True) for row in rows}
    assert {form: fault for form, fault in told.items() if fault} == {}
