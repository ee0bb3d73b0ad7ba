"""docs/add-a-spec.md, followed as it stands: the record is found, the mistakes are said in the page's own words."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import warm_accel

from accel.specs import load
from accel.specs.validate import problems

PAGE = (Path(__file__).parents[2] / "docs" / "add-a-spec.md").read_text(encoding="utf-8")
FILES = re.findall(r"^```yaml file=(\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
VENDOR = re.findall(r"^```yaml vendor=(\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
TYPOS = re.findall(r"^```text typo=(.+?)/(.+?)\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)


def written(folder: Path, right: str = "", wrong: str = "") -> str:
    for name, text in FILES:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace(right, wrong, 1) if right else text, encoding="utf-8")
    return str(folder)


def accel(folder: str, *words: str) -> subprocess.CompletedProcess[str]:
    return warm_accel.run(*words, environment={**os.environ, "ACCEL_SPECS": folder, "COLUMNS": "120"})


def test_the_page_has_its_record_and_its_typos() -> None:
    assert len(FILES) == 1
    assert len(TYPOS) == 3


def test_the_record_of_the_page_is_sound_and_new(tmp_path: Path) -> None:
    folder = written(tmp_path)
    assert problems(folder) == []
    assert load().find("3500 ada embedded") == ()
    assert [chip.name for chip in load(extra=(folder,)).find("3500 ada embedded")] == [
        "RTX 3500 Ada Generation Embedded GPU"
    ]


def test_the_commands_of_the_page_find_the_record(tmp_path: Path) -> None:
    folder = written(tmp_path)
    checked = accel(folder, "specs", "validate", folder)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "no mistake was found" in checked.stdout
    shown = accel(folder, "specs", "show", "3500 ada embedded")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "12.0 GiB GDDR6" in shown.stdout


@pytest.mark.parametrize(("right", "wrong", "says"), TYPOS)
def test_a_typo_is_said_as_the_page_says(tmp_path: Path, right: str, wrong: str, says: str) -> None:
    assert problems(written(tmp_path, right, wrong)) == [says]


def test_a_broken_file_costs_one_line_and_only_itself(tmp_path: Path) -> None:
    folder = written(tmp_path, "memory_bytes", "memory_byte")
    (tmp_path / "nvidia" / "chips" / "odd.yaml").write_text("chips: [\n")
    done = accel(folder, "specs", "show", "4090")
    assert done.returncode == 0
    assert "GeForce RTX 4090" in done.stdout
    assert done.stderr.count("\n") == 1
    assert "1 more" in done.stderr
    assert "no figures of it are kept" in accel(folder, "specs", "show", "3500 ada embedded").stdout


def test_a_folder_that_is_not_there_is_said_and_the_rest_works(tmp_path: Path) -> None:
    done = accel(str(tmp_path / "none"), "specs", "show", "4090")
    assert done.returncode == 0
    assert "no such folder" in done.stderr


def test_a_record_that_takes_an_alias_of_a_known_chip_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path, "RTX 3500 Ada Generation Embedded GPU", "RTX 4090")
    assert any("expected names of this chip alone" in sentence for sentence in problems(folder))


def test_a_file_of_the_same_name_as_accels_own_adds_to_it(tmp_path: Path) -> None:
    path = tmp_path / "nvidia" / "chips" / "ada.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(FILES[0][1], encoding="utf-8")
    specs = load(extra=(str(tmp_path),))
    assert [chip.name for chip in specs.find("3500 ada embedded")] == ["RTX 3500 Ada Generation Embedded GPU"]
    assert [chip.name for chip in specs.find("L4")] == ["L4"]
    assert [chip.name for chip in specs.find("4090")] == ["GeForce RTX 4090"]


def test_the_new_vendor_of_the_page_is_found_by_all_its_names(tmp_path: Path) -> None:
    assert len(VENDOR) == 3
    for name, text in VENDOR:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert problems(str(tmp_path)) == []
    specs = load(extra=(str(tmp_path),))
    for name in ("T100", "TCH T100", "Tachyon T100", "快子T100"):
        assert [chip.name for chip in specs.find(name)] == ["T100"], name
    assert specs.chip("T100", vendor="Tachyon") is not None


def test_a_new_vendor_without_its_generations_is_told_which_file_is_missing(tmp_path: Path) -> None:
    name, text = next(file for file in VENDOR if "/chips/" in file[0])
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(text, encoding="utf-8")
    (sentence,) = problems(str(tmp_path))
    assert "expected one of tachyon/architectures.yaml, a file that is not there, got str 'warp1'" in sentence
