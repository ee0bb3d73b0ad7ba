"""Finding plugins in the metadata folders, without importing any."""

from pathlib import Path

import pytest

from accel.plugins.discovery import installed, parse


def distribution(site: Path, folder: str, text: str) -> None:
    (site / folder).mkdir()
    (site / folder / "entry_points.txt").write_text(text)


def test_a_plugin_is_found_by_its_entry_point(tmp_path: Path) -> None:
    distribution(
        tmp_path, "acme_accel-1.2.dist-info", "[console_scripts]\nx = y:z\n\n[accel.plugins]\nacme = accel_acme\n"
    )
    (plugin,) = installed([str(tmp_path)])
    assert (plugin.name, plugin.module, plugin.distribution, plugin.version) == (
        "acme",
        "accel_acme",
        "acme-accel",
        "1.2",
    )
    assert plugin.api == (1, 1)
    assert plugin.clash is None


def test_the_first_folder_of_the_path_wins(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir()
    second.mkdir()
    distribution(first, "acme-1.0.dist-info", "[accel.plugins]\nacme = one\n")
    distribution(second, "acme-2.0.dist-info", "[accel.plugins]\nacme = two\n")
    assert [p.module for p in installed([str(first), str(second)])] == ["one"]


def test_a_plugin_for_a_later_api_is_named_before_its_code_runs(tmp_path: Path) -> None:
    distribution(tmp_path, "acme-1.dist-info", "[accel.plugins]\nacme = m\n[accel.plugin_api]\nacme = 7:9\n")
    (plugin,) = installed([str(tmp_path)])
    assert plugin.clash is not None
    assert "plugin API 7" in plugin.clash
    assert "upgrade accel-sdk" in plugin.clash


@pytest.mark.parametrize(
    ("said", "means"),
    [("v1", (1, 1)), ("v1:v2", (1, 2)), ("2:3", (2, 3)), ("1", (1, 1)), ("next", (1, 1)), ("", (1, 1))],
)
def test_the_range_is_read_with_the_letters_that_setuptools_wants_and_without(
    said: str, means: tuple[int, int]
) -> None:
    text = f"[accel.plugins]\nacme = accel_acme\n[accel.plugin_api]\nacme = {said}\n"
    assert [plugin.api for plugin in parse(text, "accel_acme-1.dist-info")] == [means]


@pytest.mark.parametrize("text", ["", "[accel.plugins", "= = =", "[accel.plugins]\nno equals sign", "\x00\xff"])
def test_a_broken_file_registers_nothing(text: str) -> None:
    assert list(parse(text, "acme-1.dist-info")) == []


def test_a_folder_that_is_not_there_is_passed_over(tmp_path: Path) -> None:
    assert installed([str(tmp_path / "nowhere"), "", str(tmp_path)]) == ()
