"""The folder that ACCEL_SPECS names counts in Python as it does for the commands, and a typo in it is said once."""

import warnings
from pathlib import Path

import pytest

from accel.specs import load
from accel.specs.load import warn_of_problems

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
        warn_of_problems(load())
