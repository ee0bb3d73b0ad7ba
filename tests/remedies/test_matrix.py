"""What is typed first in each setting that a cause meets: system, container, own Python, hardware, program."""

import re
from pathlib import Path
from typing import Any

import pytest

from accel.apps.api import doctor, read_text
from accel.specs.store import parse

CELLS: dict[str, Any] = {
    f"{path.stem}-{name}": cell
    for path in sorted(Path(__file__).with_name("matrix").glob("*.yaml"))
    for name, cell in parse(str(path)).items()
}


@pytest.mark.parametrize("cell", CELLS.values(), ids=list(CELLS))
def test_the_first_remedy_is_what_this_setting_takes(cell: dict[str, str]) -> None:
    first = doctor(read_text(cell["text"])).findings[0].remedies[0]
    assert re.search(cell.get("says", ""), first.text)
    assert re.search(cell.get("command", ""), first.command or "")
