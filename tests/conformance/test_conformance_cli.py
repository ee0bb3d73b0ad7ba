"""`accel plugins check` and `accel plugins list` as a user meets them; the kit inside a plugin's own tests."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import warm_accel

from accel.kit.requirements import all_rules
from accel.kit.result import level_shown, state_file
from accel.kit.run import check_plugin

pytestmark = pytest.mark.slow  # processes, and deadlines that run out

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
BUNDLED = ("amd", "apple", "ascend", "cambricon", "cpu", "enflame", "gaudi", "hygon", "iluvatar", "intel", "kunlun",
           "metax", "mthreads", "neuron", "nvidia", "tpu")  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a folder in which the good plugin is installed."""
    shutil.copytree(
        HERE / "good_plugin" / "accel_acme", tmp_path / "accel_acme", ignore=shutil.ignore_patterns("__pycache__")
    )
    metadata = tmp_path / "accel_acme-1.2.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text("[accel.plugins]\nacme = accel_acme\n[accel.plugin_api]\nacme = v1\n")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: accel-acme\nVersion: 1.2\n\n# accel-acme\n")
    return tmp_path


def run(home: Path, *words: str, **more: str) -> tuple[int, str, str]:
    environment = {**os.environ, "PYTHONPATH": str(home), "XDG_STATE_HOME": str(home / "state"), **more}
    environment.pop("ACCEL_PLUGINS", None)
    if words[0] == "accel":
        told = warm_accel.run(*words[1:], environment=environment, folder=home)
        assert "Traceback" not in told.stderr
        return told.returncode, told.stdout, told.stderr
    done = subprocess.run(
        [sys.executable, "-m", *words],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        check=False,
        cwd=home,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def row(home: Path) -> dict[str, Any]:
    _, out, _ = run(home, "accel", "plugins", "list", "--json")
    return next(r for r in json.loads(out)["plugins"] if r["name"] == "acme")


def test_a_sound_plugin_exits_0_and_says_its_level(home: Path) -> None:
    code, out, _ = run(home, "accel", "plugins", "check", "acme")
    assert code == 0
    assert out.startswith("acme: plugin of accel-acme 1.2\nRecorded machines: driver-gone, healthy, hot\n")
    assert out.endswith("Level: diagnose\n")
    assert max(map(len, out.splitlines())) <= 100


def test_a_fault_exits_1_and_says_what_to_do_within_the_terminal(home: Path) -> None:
    reader = home / "accel_acme" / "reader.py"
    reader.write_text(reader.read_text().replace('int(row["total"]) * 2**20', 'int(row["total"])'))
    code, out, _ = run(home, "accel", "plugins", "check", "acme", COLUMNS="60")
    assert code == 1
    assert "FAULT  units: " in out
    said = " ".join(out.split())
    assert "the memory of acme:0 is 65536 bytes in total: that looks like MiB; multiply by 2**20" in said
    assert "-> Convert once, in the reader: memory_total_bytes is in bytes" in said
    assert "Level: none" in out
    assert max(map(len, out.splitlines())) <= 60
    code, out, _ = run(home, "accel", "plugins", "check", "acme", "--rule", "units", "--rule", "readme")
    assert code == 1
    assert "FAULT  units" in out
    assert "Level:" not in out
    assert run(home, "accel", "plugins", "check", "acme", "--rule", "readme")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["acmee"], "No plugin 'acmee' is installed. Did you mean acme?"),
        (["acme", "--rule", "unit"], "No rule 'unit'. Did you mean units"),
        (["acme", "--machines", "nowhere"], "nowhere: no such folder"),
        (["acme", "--output", "accel_acme/backend.py/x.json"], "cannot be written"),
    ],
)
def test_what_cannot_be_tried_exits_2_and_names_the_nearest(home: Path, words: list[str], said: str) -> None:
    code, _, error = run(home, "accel", "plugins", "check", *words)
    assert code == 2
    assert said in error


def test_the_list_shows_the_level_of_this_version_and_how_many_devices_are_here(home: Path) -> None:
    assert (row(home)["level"], row(home)["devices"], row(home)["api"]) == (None, 0, [1, 1])
    run(home, "accel", "plugins", "check", "acme", "--output", "accel_acme/conformance.json")
    assert row(home)["level"] == "diagnose"
    shutil.rmtree(home / "state")
    assert row(home)["level"] == "diagnose"  # of the file that the package ships
    (home / "accel_acme-1.2.dist-info").rename(home / "accel_acme-1.3.dist-info")
    assert row(home)["level"] == "stale"
    code, out, _ = run(home, "accel", "plugins", "list", "--no-probe")
    assert code == 0
    line = next(line for line in out.splitlines() if line.startswith("acme"))
    assert line.split()[:7] == ["acme", "accel-acme", "1.3", "1", "loaded", "stale", "-"]


def test_a_probe_that_hangs_is_shown_in_the_list_with_its_reason(home: Path) -> None:
    backend = home / "accel_acme" / "backend.py"
    text = backend.read_text().replace("        request.progress", "        time.sleep(60)\n        request.progress")
    backend.write_text(text.replace("        return machine.exists", "        return True\n        machine.exists"))
    shown = row(home)
    assert (shown["status"], shown["devices"]) == ("loaded", None)
    assert "did not return within" in shown["probe"]


def test_a_result_is_a_document_that_says_who_when_and_of_what(home: Path) -> None:
    _, out, _ = run(home, "accel", "plugins", "check", "acme", "--json")
    result = json.loads(out)
    assert result["schema"] == "accel.conformance/1"
    assert (result["plugin"], result["version"], result["level"], result["faults"]) == ("acme", "1.2", "diagnose", 0)
    assert result["taken_at"].endswith("Z")
    assert {o["rule"] for o in result["outcomes"]} == {rule.name for rule in all_rules()}
    kept = json.loads((home / "state" / "accel" / "conformance" / "acme.json").read_text())
    assert kept["outcomes"] == result["outcomes"]


def test_a_result_that_is_damaged_or_of_another_plugin_shows_no_level(tmp_path: Path) -> None:
    environment = {"XDG_STATE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    file = state_file("acme", environment)
    file.parent.mkdir(parents=True)
    of_another_schema = '{"schema": "accel.conformance/9", "plugin": "acme", "version": "1", "level": "health"}'
    of_another_plugin = '{"schema": "accel.conformance/1", "plugin": "other", "version": "1", "level": "health"}'
    for text in ("", "[1]", of_another_schema, of_another_plugin):
        file.write_text(text)
        assert level_shown("acme", "no_such_module", "1", environment) is None
    file.write_text('{"schema": "accel.conformance/1", "plugin": "acme", "version": "1", "level": null}')
    assert level_shown("acme", "no_such_module", "1", environment) == "none"


def test_the_kit_runs_among_a_plugin_s_own_tests(home: Path) -> None:
    (home / "test_own.py").write_text("def test_of_its_own():\n    assert True\n")
    options = ["-p", "accel.kit.pytest_plugin", "-p", "no:cacheprovider", "--accel-plugin", "acme"]
    code, out, _ = run(home, "pytest", *options, "--accel-level", "diagnose", "--accel-result", "kit.json", "-q")
    assert code == 0, out
    assert f"{len(all_rules())} passed" in out or "1 skipped" in out
    assert json.loads((home / "kit.json").read_text())["level"] == "diagnose"
    assert "1 passed" in run(home, "pytest", *options, "test_own.py::test_of_its_own")[1]
    reader = home / "accel_acme" / "reader.py"
    reader.write_text(reader.read_text().replace('int(row["total"]) * 2**20', 'int(row["total"])'))
    code, out, _ = run(home, "pytest", *options, "-k", "units or readme")
    assert code == 1
    assert "that looks like MiB; multiply by 2**20" in out
    assert "1 failed, 1 passed" in out


def test_the_page_of_the_kit_names_every_rule() -> None:
    page = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    assert [rule.name for rule in all_rules() if f"`{rule.name}`" not in page] == []


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_plugin_reaches_the_highest_level(name: str) -> None:
    own = ROOT / f"plugins/{name}/tests/machines"
    folder = own if any(own.glob("*/expected.yaml")) else ROOT / "tests/machines"
    result = check_plugin(name, machines=str(folder), begin=warm_accel.begin_kit)
    assert [fault.sentence for outcome in result.outcomes for fault in outcome.faults] == []
    assert result.level == "diagnose"
