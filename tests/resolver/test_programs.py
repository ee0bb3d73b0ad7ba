"""Programs that bring their own libraries: the first remedy names their release and types their own pip."""

import re
from pathlib import Path
from typing import Any

import pytest
from every_case import registry

from accel.apps.api import doctor, read_text
from accel.model.observation import Noted
from accel.resolver.programs import NAMED
from accel.specs.store import parse

CASES: dict[str, Any] = parse(str(Path(__file__).with_name("programs.yaml")))


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_a_text_gets_the_release_of_its_program(case: dict[str, str]) -> None:
    first = doctor(read_text(case["text"])).findings[0].remedies[0]
    assert re.search(case.get("says", ""), first.text)
    assert re.search(case.get("command", ""), first.command or "")


def test_every_program_has_a_sentence_that_names_it() -> None:
    table = registry().specs.table("frameworks/programs") or {}
    named = {
        dict(fact.values).get("program")
        for row in table["programs"]
        for fact in read_text(f"{row['name']} fails").observations
        if isinstance(fact, Noted) and fact.fact == NAMED
    }
    assert {row["name"] for row in table["programs"]} - named == set()
