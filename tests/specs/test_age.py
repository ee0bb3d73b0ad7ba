"""How old the tables are, and what is said of a release newer than they are."""

import json
from datetime import date, timedelta

import pytest

from accel.apps.cli import main
from accel.diagnose.data_age import newer_than_data
from accel.facts.questions import Facts
from accel.model.environment import Environment, Framework
from accel.model.snapshot import Snapshot
from accel.specs import load
from accel.specs.age import ages, beyond, compared_on, newest_of, old_check, old_data, today
from accel.specs.export_rules.rules import not_judged


def test_every_framework_says_when_it_was_checked_and_how_far_it_goes() -> None:
    found = {age.subject: age for age in ages(load())}
    for name in ("torch", "tensorflow", "jax", "onnxruntime-gpu", "vllm", "CUDA", "export rules", "chips: nvidia"):
        assert found[name].checked, name
        assert found[name].covers, name
        assert found[name].records > 0, name


def test_no_subject_is_listed_twice() -> None:
    subjects = [age.subject for age in ages(load())]
    assert len(subjects) == len(set(subjects))


def test_a_release_newer_than_the_data_is_said_to_be() -> None:
    specs = load()
    newest = newest_of(specs, "torch")
    assert newest is not None
    told = beyond(specs, "torch", "99.0.1+cu990")
    assert told is not None
    assert newest[0] in told
    assert "99.0.1" in told


@pytest.mark.parametrize("version", ["2.4.1", None, "", "unknown"])
def test_a_release_that_the_data_covers_is_not(version: str | None) -> None:
    assert beyond(load(), "torch", version) is None


def test_the_newest_release_itself_is_covered() -> None:
    specs = load()
    newest = newest_of(specs, "torch")
    assert newest is not None
    assert beyond(specs, "torch", f"{newest[0]}+cpu") is None


def test_what_has_no_table_is_not_judged() -> None:
    assert newest_of(load(), "no-such-framework") is None
    assert beyond(load(), "no-such-framework", "99") is None


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["specs", "age", "torch", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "torch" in json.dumps(told)
    assert main(["specs", "age"]) == 0
    assert "export rules" in capsys.readouterr().out


def test_resolve_refuses_a_release_beyond_the_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resolve", "torch==99.0", "--gpu", "H100", "--driver", "580", "--os", "linux"]) == 2
    assert "99.0 is newer, so it was not evaluated" in capsys.readouterr().err


def test_the_export_rules_say_how_far_they_are_known() -> None:
    covers = next(age.covers for age in ages(load()) if age.subject == "export rules")
    assert covers == "known up to 2026-06"
    assert any("undecided since 2026-07-01" in line for line in not_judged(load(), "2026-11-22"))
    assert not any("undecided since" in line for line in not_judged(load(), "2025-12-01"))


@pytest.mark.parametrize(("days", "old"), [(30, False), (31, True)])
def test_data_that_was_not_compared_for_a_month_is_said_to_be_old(days: int, old: bool) -> None:
    specs = load()
    day = compared_on(specs, "torch")
    assert day is not None
    told = old_data(specs, ["torch"], date.fromisoformat(day) + timedelta(days=days))
    assert len(told) == old
    assert all(f"torch was last compared with the package index on {day}, 31 days ago" in text for text in told)


@pytest.mark.parametrize(
    ("taken_at", "told"), [("2030-06-01T00:00:00Z", True), ("2026-11-29T12:00:00Z", False), (None, False), ("?", False)]
)
def test_the_doctor_says_that_a_table_was_old_on_the_day_of_the_report(taken_at: str | None, told: bool) -> None:
    installed = Environment(frameworks=(Framework(name="torch", version="2.4.0"),))
    gaps = newer_than_data(Facts(Snapshot(taken_at=taken_at, environments=(installed,))), load())
    assert [gap.fact for gap in gaps] == (["newest releases of torch"] if told else [])


def test_the_list_of_a_projects_releases_has_a_day_of_its_own() -> None:
    told = old_data(load(), [], date(2027, 6, 1), ["vllm"])
    assert len(told) == 1
    assert "the project's releases" in told[0]
    assert told[0].endswith("accel specs refresh vllm")


def test_a_check_of_half_a_year_ago_is_said_and_a_newer_one_is_not() -> None:
    assert old_check("2026-11", date(2026, 11, 29)) is None
    assert old_check(None, date(2030, 1, 1)) is None
    assert "Last checked in 2026-11" in (old_check("2026-11-23", date(2027, 6, 1)) or "")


def test_today_is_the_day_that_an_output_is_made_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795910400")
    assert today() == date(2026, 11, 29)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    assert today() >= date(2026, 1, 1)


def test_an_old_answer_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["resolve", "torch", "--gpu", "H100", "--driver", "580", "--os", "linux", "--python", "3.12"]
    assert main(words) == 0
    assert "was last compared" not in capsys.readouterr().out
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1830000000")
    assert main(words) == 0
    assert "was last compared" in capsys.readouterr().out
    assert main(["specs", "show", "H100", "SXM"]) == 0
    assert "Last checked in 2026-" in capsys.readouterr().out
