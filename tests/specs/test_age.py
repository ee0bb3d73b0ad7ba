"""How old the tables are, and what is said of a release newer than they are."""

import json

import pytest

from accel.apps.cli import main
from accel.specs import load
from accel.specs.age import ages, beyond, newest_of
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
    assert "newer than" in capsys.readouterr().err


def test_the_export_rules_say_how_far_they_are_known() -> None:
    covers = next(age.covers for age in ages(load()) if age.subject == "export rules")
    assert covers == "known up to 2026-06"
    assert any("undecided since 2026-07-01" in line for line in not_judged(load(), "2026-11-22"))
    assert not any("undecided since" in line for line in not_judged(load(), "2025-12-01"))
