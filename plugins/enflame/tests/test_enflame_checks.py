"""The checks on texts of efsmi: each fault is found, and nothing is where the tool states none."""

from pathlib import Path

import pytest

from accel.contract.check import DoesNotApply, NotKnown
from accel.facts.questions import Facts
from accel.model.diagnosis import Evidence
from accel.model.snapshot import Snapshot
from accel.specs import load
from accel.toolkit.members import checks_of, readers_of

TEXTS = Path(__file__).parent / "texts"


def run(name: str) -> dict[str, tuple[Evidence, ...] | str]:
    """Return what each check came to: its evidence, "clear", "undecided" or "skipped"."""
    text = (TEXTS / f"{name}.txt").read_text() if name else ""
    reports = tuple(
        report for reader in readers_of("accel_enflame") for reading in reader.read(text) for report in reading.reports
    )
    facts = Facts(Snapshot(origin="text", reports=reports))
    ends: dict[str, tuple[Evidence, ...] | str] = {}
    for check in checks_of("accel_enflame"):
        try:
            problems = list(check.run(facts, load()))
            ends[check.code] = problems[0].evidence if problems else "clear"
        except NotKnown:
            ends[check.code] = "undecided"
        except DoesNotApply:
            ends[check.code] = "skipped"
    return ends


@pytest.mark.parametrize(
    ("name", "code", "value"),
    [
        ("query", "EF002", "enflame:0: Health False, RMA flag set"),
        ("query", "EF003", "enflame:0: Abnormal"),
    ],
)
def test_a_fault_that_the_tool_states_is_found(name: str, code: str, value: str) -> None:
    evidence = run(name)[code]
    assert not isinstance(evidence, str)
    assert [item.value for item in evidence] == [value]


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("query-of-a-sound-device", {"EF001": "clear", "EF002": "clear", "EF003": "clear"}),
        ("table-of-1.7.2", {"EF001": "clear", "EF002": "undecided", "EF003": "undecided"}),
    ],
)
def test_a_sound_device_is_clear_and_an_untold_fact_is_undecided(name: str, ends: dict[str, str]) -> None:
    assert run(name) == ends


def test_a_text_about_something_else_skips_every_check() -> None:
    assert set(run("").values()) == {"skipped"}
