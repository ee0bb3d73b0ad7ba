"""The pytest plugin: a fixture with a machine, a marker that skips or fails with the reason, and no cost else."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import accel
import accel.testing

TESTS = """
import sys
from pathlib import Path
import pytest

def test_nothing_of_accel_is_loaded():
    loaded = {name for name in sys.modules if name.partition(".")[0].startswith("accel")}
    assert loaded <= {"accel", "accel.testing", "accel.testing.pytest_plugin"}, loaded

def test_eight(accel_machine):
    import accel
    accel_machine("8xH100").lose("nvidia:3")
    assert accel.health("nvidia:3") == "critical"
    accel_machine("cpu-only")
    assert accel.accelerators() == ()

def test_nothing_is_left():
    from accel.apps import api
    assert api.instead == []

@pytest.fixture(scope="module")
def node():
    import accel.testing
    with accel.testing.machine("2x4090"):
        yield

@pytest.mark.usefixtures("node")
class TestOnANode:
    def test_the_node_is_there(self):
        pass

    @pytest.mark.accelerator(vendor="nvidia", memory="16GiB", count=2, dtype="bf16", capability="8.0")
    def test_met(self):
        pass

    @pytest.mark.accelerator(vendor="nvidia", memory="48GiB")
    def test_unmet(self):
        raise AssertionError("it must not run")

@pytest.mark.accelerator(vendor="nvidea")
def test_wrong():
    pass
"""


PAGE = (Path(__file__).parents[2] / "docs" / "testing.md").read_text(encoding="utf-8")


def block(kind: str, holding: str) -> str:
    """Return the block of docs/testing.md that holds some words."""
    return next(text for text in re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.M | re.S) if holding in text)


def run(folder: Path, *words: str) -> str:
    (folder / "test_it.py").write_text(TESTS, encoding="utf-8")
    (folder / "test_page.py").write_text(block("python", "def test_"), encoding="utf-8")
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "", "COLUMNS": "300"}
    command = [sys.executable, "-m", "pytest", "-p", "accel.testing.pytest_plugin", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-rsfE", "-v", "--strict-markers", "--tb=short", "--rootdir", str(folder), *words, str(folder)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
        check=False,
    )
    return done.stdout + done.stderr


def outcomes(text: str) -> dict[str, str]:
    return dict(re.findall(r"(test_\w+) (PASSED|SKIPPED|FAILED|ERROR)\b", text))


def test_the_fixture_simulates_and_the_marker_skips_with_the_reason(tmp_path: Path) -> None:
    text = run(tmp_path)
    assert outcomes(text) == {
        "test_nothing_of_accel_is_loaded": "PASSED",
        "test_eight": "PASSED",
        "test_nothing_is_left": "PASSED",
        "test_the_node_is_there": "PASSED",
        "test_met": "PASSED",
        "test_unmet": "SKIPPED",
        "test_wrong": "ERROR",
        "test_a_lost_device_is_left_out": "PASSED",
        "test_on_hardware": outcomes(text)["test_on_hardware"],  # on a machine with such a GPU it runs
    }
    assert "Requires 1 nvidia accelerator, with 48.0 GiB: 0 of the 2 accelerators here will do." in text
    assert "Did you mean 'nvidia'?" in text


def test_strict_lets_it_fail_with_the_whole_reason(tmp_path: Path) -> None:
    text = run(tmp_path, "--accel-strict", "-k", "node or unmet")
    assert outcomes(text)["test_unmet"] in ("FAILED", "ERROR")
    assert "nvidia:0: it has 24.0 GiB, 48.0 needed" in text


def test_pytest_finds_the_plugin_by_its_entry_point() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.pytest11]\naccel = "accel.testing.pytest_plugin"\n' in text


def test_the_first_example_of_the_page_runs() -> None:
    exec(compile(block("python", "with accel.testing"), "docs/testing.md", "exec"), {})


def test_the_requirements_of_the_page_lack_only_the_framework(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(block("toml", "tool.accel"), encoding="utf-8")
    with accel.testing.machine("8xH100"), pytest.raises(accel.RequirementUnmet) as unmet:
        accel.require(file=tmp_path)
    assert "torch is not installed" in unmet.value.reasons["frameworks"]


def test_the_page_names_every_machine() -> None:
    assert [name for name in accel.testing.machines() if f"`{name}`" not in PAGE] == []
