"""A plugin out of the template, untouched: clean, typed, tested, found, and useful at once."""

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from accel.specs.validate import problems

pytestmark = pytest.mark.slow  # processes, and deadlines that run out


def lines_of(text: str) -> str:
    """Return a printed table's text with its folding undone."""
    return " ".join(text.split())


def test_every_word_of_the_template_has_been_filled_in(plugin: Any) -> None:
    for file in plugin.folder.rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            text = file.read_text(encoding="utf-8")
            assert not re.search(r"\$(?!\{\{ matrix)\{?\w", text), file
            assert "NAME" not in str(file.relative_to(plugin.folder))
            assert "TODO" not in text
            assert text.endswith(("\n", "35")) or not text, file  # the one that is cut on purpose


def test_every_yaml_of_it_can_be_read(plugin: Any) -> None:
    files = [*plugin.folder.rglob("*.yaml"), *plugin.folder.rglob("*.yml")]
    assert len(files) == 12
    for file in files:
        assert isinstance(yaml.safe_load(file.read_text(encoding="utf-8")), dict), file


@pytest.mark.parametrize("words", [("check", "."), ("format", "--check", ".")])
def test_it_is_lint_clean(plugin: Any, words: tuple[str, ...]) -> None:
    pytest.importorskip("ruff")
    done = plugin.python("ruff", *words, "--no-cache")
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_strictly_typed_against_accel(make: Any) -> None:
    pytest.importorskip("mypy")
    plugin = make("my_npu")
    done = plugin.python("mypy", "--cache-dir", str(plugin.folder.parent / "mypy"), MYPYPATH=str(plugin.folder / "src"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_its_own_tests_pass(plugin: Any) -> None:
    done = plugin.python("pytest", "-p", "no:cacheprovider", "-o", "addopts=", "-q", PYTHONDONTWRITEBYTECODE="1")
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_found_and_loads(plugin: Any) -> None:
    done = plugin.accel("plugins", "list", "--json")
    assert done.returncode == 0, done.stdout
    (row,) = (row for row in json.loads(done.stdout)["plugins"] if row["name"] == plugin.name)
    assert row["status"] == "loaded", row["reason"]


def test_a_module_in_accel_plugins_takes_the_place_of_the_installed_plugin(acme: Any) -> None:
    rows = json.loads(acme.accel("plugins", "list", "--json", ACCEL_PLUGINS="accel_acme").stdout)["plugins"]
    (row,) = (row for row in rows if row["name"] == "acme")
    assert (row["status"], row["distribution"], row["reason"]) == ("loaded", "ACCEL_PLUGINS", None)


def test_nothing_is_wrong_with_the_simulated_device(acme: Any) -> None:
    answer = json.loads(acme.accel("doctor", "--json").stdout)
    assert [item for item in (*answer["findings"], *answer["undecided"]) if item["code"].startswith("AE")] == []


def test_its_simulated_device_is_among_the_devices_and_says_so(plugin: Any) -> None:
    done = plugin.accel("devices", "--json")
    answer = json.loads(done.stdout)
    (device,) = (device for device in answer["devices"] if device["backend"] == plugin.name)
    assert device["name"] == f"{plugin.vendor} X1 (simulated)"
    assert device["memory_total_bytes"] == 65536 * 2**20
    assert device["health"] == "unknown"
    assert any("no hardware was asked" in gap["reason"] for gap in answer["gaps"])
    assert f"{plugin.vendor} X1 (simulated)" in lines_of(plugin.accel("devices", COLUMNS="60").stdout)


def test_the_simulated_device_can_be_turned_off(plugin: Any) -> None:
    done = plugin.accel("devices", "--json", **{f"ACCEL_{plugin.name.upper()}_SIMULATED": "0"})
    answer = json.loads(done.stdout)
    assert plugin.name not in {device["backend"] for device in answer["devices"]}
    assert done.returncode == 0


def test_its_reader_reads_the_tools_text_and_its_check_finds_the_hot_device(plugin: Any) -> None:
    text = str(plugin.package / "machines" / "hot-device" / "smi.txt")
    devices = json.loads(plugin.accel("devices", "--from", text, "--json").stdout)["devices"]
    assert [(device["id"], device["temperature_celsius"]) for device in devices] == [
        (f"{plugin.name}:0", 92),
        (f"{plugin.name}:1", None),
    ]
    done = plugin.accel("doctor", "--from", text, "--json", "--fail-on", "warning")
    assert done.returncode == 1
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["title"] == f"{plugin.name}:0 is at 92 °C and slows itself down at 95 °C"


def test_its_check_can_be_explained(acme: Any) -> None:
    assert "Why it matters" in acme.accel("explain", "acme-device-hot").stdout


def test_its_products_are_sound_and_can_be_shown(plugin: Any) -> None:
    assert problems(str(plugin.package / "specs")) == []
    done = plugin.accel("specs", "show", f"{plugin.vendor} X1", "--json")
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["chip"]["slowdown_celsius"] == 95


def test_without_the_simulated_module_all_the_rest_works(acme: Any, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "acme"
    shutil.copytree(acme.folder, copy)
    package = copy / "src" / "accel_acme"
    (package / "simulated.py").unlink()
    (copy / "tests" / "test_acme_simulated.py").unlink()
    hooks = (package / "__init__.py").read_text(encoding="utf-8")
    hooks = hooks[: hooks.index("@hookimpl")]
    assert "simulated_device" not in hooks
    (package / "__init__.py").write_text(hooks, encoding="utf-8")
    done = acme.python("pytest", "-p", "no:cacheprovider", "-o", "addopts=", "-q", str(copy), PYTHONPATH=f"{copy}/src")
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("pip", "hatchling")),
    reason="builds a wheel with what is installed: pip and hatchling",
)
def test_pip_builds_a_wheel_with_all_that_it_needs(acme: Any, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "accel-acme"  # a build leaves nothing in the folder that the other tests look at
    shutil.copytree(acme.folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
    site = tmp_path / "installed"
    words = ("install", "--no-build-isolation", "--no-index", "--no-deps", "--quiet", "--target", str(site), str(copy))
    done = acme.python("pip", *words, PYTHONPATH="")
    assert done.returncode == 0, done.stderr
    shipped = {file.relative_to(site).as_posix() for file in site.rglob("*") if "__pycache__" not in file.parts}
    needed = {
        file.relative_to(copy / "src").as_posix() for file in (copy / "src").rglob("*") if file.name != "__pycache__"
    }
    assert needed <= shipped
    answer = json.loads(acme.accel("devices", "--json", PYTHONPATH=str(site)).stdout)
    assert "Acme X1 (simulated)" in {device["name"] for device in answer["devices"]}
