"""The first remedy has the form that the writer's setting takes: compose file, own Python, package, other language."""

import re
from pathlib import Path
from typing import Any

import pytest

from accel.apps.api import doctor, read_text
from accel.specs.store import parse

HERE = Path(__file__).parent
FILES = (HERE / "settings.yaml", *sorted((HERE / "settings").glob("*.yaml")))
CASES: dict[str, Any] = {name: case for path in FILES for name, case in parse(str(path)).items()}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_the_first_remedy_fits_its_setting(case: dict[str, str]) -> None:
    first = doctor(read_text(case["text"])).findings[0].remedies[0]
    typed = first.command or ""
    assert re.search(case.get("says", ""), first.text)
    assert re.search(case.get("command", ""), typed)
    assert "never" not in case or not re.search(case["never"], f"{first.text} {typed}")
