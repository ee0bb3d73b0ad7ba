"""`accel plugins new` with arguments good and bad: it writes all or nothing, and says what to do."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from accel.kit.scaffold import KINDS, choices, files, free_prefix
from accel.model.errors import BadInput

pytestmark = pytest.mark.slow  # processes, and deadlines that run out

TAKEN = frozenset({"nvidia", "cpu"})
NAMES = {  # what cannot be a name: words of the sentence that says so
    "nvidia": "name of an installed plugin",
    "Acme": "Perhaps  acme",
    "my-npu": "Perhaps  my_npu",
    "accel_acme": "Perhaps  acme",
    "my npu": "Perhaps  my_npu",
    "_acme": "Perhaps  acme",
    "my__npu": "Perhaps  my_npu",
    "3d": "lower-case letters",
    "": "lower-case letters",
    "../acme": "Perhaps  acme",
    "昇腾": "lower-case letters",
    "class": "a word of Python's",
    "match": "a word of Python's",
    "a" * 21: "20 at most",
}
VENDORS = ["", "   ", "a\nb", "tab\tbed", "back\\slash", "$name", "{x}", '"""', "x" * 41, " Acme", "Acme  Corp", "<b>"]


def chosen(name: str = "acme", **said: Any) -> Any:
    given = {"vendor": None, "kind": "npu", "prefix": None, "taken_names": TAKEN, "taken_prefixes": {"AC", "AM"}}
    return choices(name, **{**given, **said})


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_cannot_be_used_is_refused_with_the_reason_and_a_better_one(name: str) -> None:
    with pytest.raises(BadInput) as refused:
        chosen(name)
    assert NAMES[name] in str(refused.value)


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_vendor_that_does_not_fit_into_the_files_is_refused(vendor: str) -> None:
    with pytest.raises(BadInput) as refused:
        chosen(vendor=vendor)
    assert "--vendor" in str(refused.value)


@pytest.mark.parametrize(
    "vendor", ["Acme", "3M", "Müller & Söhne", "摩尔线程", 'O\'Neil "Chips"', "A/S Data (EU): X-1+"]
)
def test_a_vendor_as_people_write_it_is_kept(vendor: str) -> None:
    assert chosen(vendor=vendor).vendor == vendor


def test_the_vendor_is_made_of_the_name_where_it_is_not_said() -> None:
    assert chosen("my_npu").vendor == "My Npu"


def test_the_checks_codes_are_free_ones_out_of_the_name() -> None:
    assert chosen().prefix == "AE"
    assert chosen(prefix="xy").prefix == "XY"
    assert free_prefix("aa", {"AA"}) == "AB"
    assert free_prefix("a", {f"A{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}) == "BA"


@pytest.mark.parametrize(("prefix", "words"), [("AC", "taken. Free, for one, is  --prefix AE"), ("A1", "two letters")])
def test_a_prefix_that_cannot_be_used_is_refused(prefix: str, words: str) -> None:
    with pytest.raises(BadInput) as refused:
        chosen(prefix=prefix)
    assert words in str(refused.value)


def test_every_kind_but_the_cpu_can_be_chosen() -> None:
    assert set(KINDS) == {"gpu", "npu", "tpu", "accelerator"}
    for kind in KINDS:
        texts = files(chosen(kind=kind), accel_version="1.0", month="2026-01")
        assert f'kind="{kind}"' in texts["src/accel_acme/__init__.py"]


def test_the_files_are_the_same_however_often_they_are_made() -> None:
    made = [files(chosen(), accel_version="1.0", month="2026-01") for _ in range(2)]
    assert made[0] == made[1]
    assert "src/accel_acme/checks/ae001_device_hot.py" in made[0]


def test_it_says_what_to_do_next(tmp_path: Path, shell: Callable[..., Any]) -> None:
    done = shell(tmp_path, "acme")
    assert (done.returncode, done.stderr) == (0, "")
    for command in ("cd accel-acme", 'pip install -e ".[test]"', "accel devices", "accel plugins check acme", "pytest"):
        assert command in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_for_programs_it_says_what_it_wrote(tmp_path: Path, shell: Callable[..., Any]) -> None:
    done = shell(tmp_path, "acme", "--output", "some/where", "--json")
    answer = json.loads(done.stdout)
    assert (answer["schema"], answer["name"], answer["folder"]) == ("accel.new_plugin/1", "acme", "some/where")
    written = {file.relative_to(tmp_path / "some/where").as_posix() for file in tmp_path.rglob("*") if file.is_file()}
    assert set(answer["files"]) == written


def test_a_folder_that_has_something_in_it_is_left_as_it_is(tmp_path: Path, shell: Callable[..., Any]) -> None:
    (tmp_path / "accel-acme").mkdir()
    (tmp_path / "accel-acme" / "mine.txt").write_text("mine")
    done = shell(tmp_path, "acme")
    assert (done.returncode, done.stdout) == (2, "")
    assert "is there already, and nothing was written" in done.stderr
    assert [file.name for file in (tmp_path / "accel-acme").iterdir()] == ["mine.txt"]
    assert shell(tmp_path, "acme", "--output", "mine").returncode == 0


def test_a_new_repository_is_filled_and_kept(tmp_path: Path, shell: Callable[..., Any]) -> None:
    (tmp_path / "accel-acme" / ".git").mkdir(parents=True)
    (tmp_path / "accel-acme" / ".git" / "HEAD").write_text("mine")
    assert shell(tmp_path, "acme").returncode == 0
    assert (tmp_path / "accel-acme" / ".git" / "HEAD").read_text() == "mine"
    assert (tmp_path / "accel-acme" / "pyproject.toml").exists()


def test_where_a_file_cannot_be_written_none_is_left(tmp_path: Path, shell: Callable[..., Any]) -> None:
    (tmp_path / "accel-acme").mkdir()
    (tmp_path / "accel-acme" / ".git").write_text("mine")  # as in a worktree
    (tmp_path / "elsewhere").symlink_to(tmp_path / "accel-acme")
    done = shell(tmp_path, "acme", "--output", f"elsewhere/.git/{'x' * 10}")
    assert done.returncode == 2
    assert [path.name for path in (tmp_path / "accel-acme").iterdir()] == [".git"]


def test_an_empty_folder_is_filled_and_a_file_in_its_place_is_not(tmp_path: Path, shell: Callable[..., Any]) -> None:
    (tmp_path / "empty").mkdir()
    assert shell(tmp_path, "acme", "--output", "empty").returncode == 0
    (tmp_path / "file").write_text("mine")
    done = shell(tmp_path, "acme", "--output", "file")
    assert (done.returncode, (tmp_path / "file").read_text()) == (2, "mine")
    done = shell(tmp_path, "acme", "--output", "file/below")
    assert done.returncode == 2
    assert "file" in done.stderr


@pytest.mark.parametrize("folder", ["/dev/null/plugin", "x" * 300])
def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, shell: Callable[..., Any], folder: str) -> None:
    done = shell(tmp_path, "acme", "--output", folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert folder in done.stderr
    assert "--output FOLDER" in done.stderr


@pytest.mark.parametrize("words", [("nvidia",), ("Acme",), ("acme", "--kind", "cpu"), ("acme", "--prefix", "NV"), ()])
def test_what_cannot_be_done_ends_with_2_and_writes_nothing(
    tmp_path: Path, shell: Callable[..., Any], words: tuple[str, ...]
) -> None:
    done = shell(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr
    assert list(tmp_path.iterdir()) == []
