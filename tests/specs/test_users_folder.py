"""The folder that ACCEL_SPECS names counts in Python as it does for the commands, and a typo in it is said once."""

import warnings
from pathlib import Path

import pytest

from accel.apps.cli import main
from accel.specs import load
from accel.specs.overlay import warn_of_problems

CHIP = (
    'vendor: "nvidia"\narchitecture: "ada"\nsources: {sheet: {what: "made up", read: "2026-11"}}\nchips:\n'
    '  - {name: "GeForce RTX 4099", kind: "gpu", memory_bytes: 17179869184, sources: ["sheet"], confidence: "low"}\n'
)


def folder(tmp_path: Path, text: str = CHIP) -> str:
    (tmp_path / "nvidia" / "chips").mkdir(parents=True)
    (tmp_path / "nvidia" / "chips" / "mine.yaml").write_text(text)
    return str(tmp_path)


def test_load_reads_the_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load().chip("RTX 4099") is None
    monkeypatch.setenv("ACCEL_SPECS", folder(tmp_path))
    chip = load().chip("RTX 4099")
    assert chip is not None
    assert chip.memory_bytes == 16 * 2**30
    assert load() is load()
    monkeypatch.delenv("ACCEL_SPECS")
    assert load().chip("RTX 4099") is None


def test_an_environment_that_is_given_decides_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder(tmp_path)
    assert load(environment={"ACCEL_SPECS": path}).chip("RTX 4099") is not None
    monkeypatch.setenv("ACCEL_SPECS", path)
    assert load(environment={}).chip("RTX 4099") is None


def test_a_typo_costs_its_file_and_gives_one_warning_with_the_near_miss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACCEL_SPECS", folder(tmp_path, CHIP.replace("memory_bytes", "memory_byte")))
    with pytest.warns(
        UserWarning, match=r"nvidia/chips/mine.yaml: .*memory_byte: .*did you mean memory_bytes\?"
    ) as said:
        specs = load()
    assert len(said) == 1
    assert specs.chip("RTX 4099") is None
    assert specs.chip("RTX 4090") is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load() is specs


def test_sound_records_give_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_problems(load().problems, load().contradictions)


OTHER = CHIP.replace("GeForce RTX 4099", "GeForce RTX 4090").replace("17179869184", "51539607552")
RELEASE = (
    'amends: true\nframework: "torch"\ncompared: "2030-01-01"\nholds: {releases: 2}\n'
    'sources: {index: {what: "an index", read: "2030-01"}}\nreleases:\n'
    '  - {version: "2.4.1", requires_python: ">=3.9", sources: ["index"], confidence: "official"}\n'
    '  - {version: "98.0", requires_python: ">=3.40", sources: ["index"], confidence: "official"}\n'
)


def amending(tmp_path: Path, text: str = RELEASE, name: str = "torch") -> str:
    (tmp_path / "frameworks").mkdir(parents=True)
    (tmp_path / "frameworks" / f"{name}.yaml").write_text(text)
    return str(tmp_path)


def test_a_record_that_contradicts_accels_counts_and_the_contradiction_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACCEL_SPECS", folder(tmp_path, OTHER))
    with pytest.warns(
        UserWarning, match=r"specs changed: GeForce RTX 4090: memory_bytes is 51539607552 in nvidia/"
    ) as said:
        specs = load()
    assert len(said) == 1
    (sentence,) = specs.contradictions
    assert "which is used; accel has 25769803776" in sentence
    chip = specs.chip("RTX 4090")
    assert chip is not None
    assert chip.memory_bytes == 48 * 2**30
    assert chip.tdp_watts == 450  # what the record does not say stays as it was
    assert specs.find("4090") == (chip,)


def test_a_folder_that_is_not_the_users_contradicts_nothing(tmp_path: Path) -> None:
    path = folder(tmp_path, OTHER)
    with pytest.warns(UserWarning, match="specs not used: .*expected names of this chip alone"):
        specs = load(extra=[path], strangers=[path])
    assert specs.contradictions == ()
    chip = specs.chip("RTX 4090")
    assert chip is not None
    assert chip.memory_bytes == 24 * 2**30


def test_a_table_that_amends_adds_rows_and_changes_those_that_it_names(tmp_path: Path) -> None:
    bundled = {release.version: release for release in load(environment={}).frameworks("torch")}
    specs = load(environment={"ACCEL_SPECS": amending(tmp_path)})
    found = {release.version: release for release in specs.frameworks("torch")}
    assert found.keys() - bundled.keys() == {"98.0"}
    assert found["2.4.1"].requires_python == ">=3.9"
    assert found["2.4.1"].builds == bundled["2.4.1"].builds
    assert found["2.5.0"] == bundled["2.5.0"]
    assert len(specs.contradictions) == 1
    assert "2.4.1: requires_python is '>=3.9' in frameworks/torch.yaml, which is used" in specs.contradictions[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (RELEASE.rpartition("  - {")[0], "releases: expected 2 records, as holds says, got 1: the file was cut"),
        (RELEASE[:-40], "cannot be read: line"),
        (RELEASE.replace('version: "98.0"', "version: 98.0"), "expected a quoted version"),
    ],
)
def test_a_table_that_was_cut_changes_nothing_and_is_said(tmp_path: Path, text: str, says: str) -> None:
    specs = load(environment={"ACCEL_SPECS": amending(tmp_path, text)})
    assert any(says in sentence for sentence in specs.problems)
    assert specs.frameworks("torch") == load(environment={}).frameworks("torch")
    assert specs.contradictions == ()


def test_the_validator_says_what_a_folder_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder(tmp_path, OTHER)
    assert main(["specs", "validate", path]) == 0
    assert "changed: GeForce RTX 4090: memory_bytes is 51539607552" in capsys.readouterr().out
