"""docs/coverage.yaml names only existing checks and commands, and each row says how it is covered."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from accel.apps.cli import COMMANDS
from accel.plugins.registry import Registry
from accel.specs.store import parse

FAMILIES: list[dict[str, Any]] = parse(str(Path(__file__).parent.parent / "docs" / "coverage.yaml"))["families"]


def test_every_check_and_command_that_a_row_names_is_there() -> None:
    known = {check.code for check in Registry({}).checks} | {f"accel {name}" for name in COMMANDS}
    named = {one for family in FAMILIES for row in family["rows"] for one in row.get("by", ())}
    assert named - known == set()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: str(family["family"]))
def test_a_row_says_who_answers_or_what_lacks(family: dict[str, Any]) -> None:
    for row in family["rows"]:
        assert set(row) <= {"asks", "by", "lacks", "outside"}, row
        assert row.get("by") or row.get("lacks") or row.get("outside"), row
        assert not ("outside" in row and ("by" in row or "lacks" in row)), row
        assert len(set(row.get("by", ()))) == len(row.get("by", ())), row
    assert [asked for asked, times in Counter(row["asks"] for row in family["rows"]).items() if times > 1] == []
