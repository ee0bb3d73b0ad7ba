"""Each check's four outcomes are proven, or it is written down which are not, and why."""

from functools import cache
from pathlib import Path
from typing import Any

from every_case import every_case, registry
from outcomes import OUTCOMES, proven, without

from accel.specs.store import parse

HERE = Path(__file__).parent
LACKING: dict[str, dict[str, Any]] = parse(str(HERE / "outcomes_not_proven.yaml"))["checks"]
ENOUGH = 250


@cache
def seen() -> dict[str, set[str]]:
    return proven(registry().checks, every_case(), registry())


def test_what_is_not_proven_is_written_down_and_nothing_else() -> None:
    lacking = {name: [one for one in OUTCOMES if one not in found] for name, found in seen().items()}
    assert {name: lacks for name, lacks in lacking.items() if lacks} == {n: row["lacks"] for n, row in LACKING.items()}


def test_a_reason_is_given_for_each_that_is_not() -> None:
    assert [name for name, row in LACKING.items() if len(row["why"].split()) < 4] == []


def test_250_checks_and_more_have_all_four() -> None:
    assert sum(len(found) == len(OUTCOMES) for found in seen().values()) >= ENOUGH


def test_a_machine_without_a_needed_fact_still_has_what_the_need_is_about() -> None:
    assert without("nvidia.devices.temperature_celsius") == {"devices": [{"backend": "nvidia", "index": 0}]}
    assert without("run.program") is None
