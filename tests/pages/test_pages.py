"""Every command of the readme and of the pages is typed, ends as they say and prints what they show.

What a block says of itself: typed_lines.py. Commands in sentences: prose.yaml. The tutorials are typed whole, with pip
and mypy, by test_tutorial.py; the plugin of data-only-plugin.md is tried further by test_data_plugin.py.
"""

import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pytest
from answered import GIVEN, all_options, answer, examples, names_nothing, shows
from made_records import advised, remembered, watched
from typed_lines import PAGES, ROOT, Simple, Typed, blocks, in_blocks, in_prose, options_in_prose, simples, unmarked

from accel.specs.store import parse


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


PROSE: Final = parse(str(Path(__file__).parent / "prose.yaml"))
_TUTORIALS = {"docs/add-a-backend.md", "docs/add-a-check.md", "docs/conformance.md"}  # typed by test_tutorial.py
_WITH_COMMANDS = [page for page in PAGES if any(in_blocks(page))]
_OF_ACCEL = [page for page in PAGES if not name(page).startswith(("CHANGELOG", "benchmarks", "plugins"))]
_IN_PROSE = {one.text: one for page in PAGES for one in in_prose(page) if page.name != "CHANGELOG.md"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that pages name: reports, locks, records, a program."""
    here = tmp_path / "here"
    shutil.copytree(GIVEN, here)
    (here / "docs").symlink_to(ROOT / "docs")
    (here / "leases").mkdir(mode=0o1777)
    (here / "leases").chmod(0o1777)
    watched(here / "watched.rec")
    advised(here / "advised.rec")
    remembered(here / "snapshot.pickle")
    return here


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_that_is_shown_stands_in_a_block_that_says_so(page: Path) -> None:
    assert unmarked(page) == []


@pytest.mark.parametrize("page", [page for page in _WITH_COMMANDS if name(page) not in _TUTORIALS], ids=name)
def test_the_commands_of_a_page_do_what_it_says(page: Path, folder: Path) -> None:
    variables: dict[str, str] = {}
    for _, _, marks, text in blocks(page):
        if "file" in marks:  # FOLDER is where a page's files go
            path = folder / "folder" / marks["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for typed in in_blocks(page):
        for one in simples(typed.text):
            if one.words[0] == "export":
                variables |= {word.partition("=")[0]: word.partition("=")[2] for word in one.words[1:]}
                variables = {key: value.replace("FOLDER", str(folder / "folder")) for key, value in variables.items()}
            elif not _accel(one):
                assert _mistakes(one) == [], typed
            elif "only-named" in typed.marks:
                assert names_nothing(one.words) == [], typed
            else:
                _held(typed, one, folder, variables)


@pytest.mark.parametrize("typed", _IN_PROSE.values(), ids=lambda typed: typed.text)
def test_a_command_in_a_sentence_does_what_it_says(typed: Typed, folder: Path) -> None:
    marks: dict[str, Any] = PROSE.get(typed.text, {})
    (one,) = simples(typed.text)
    if "only-named" in marks or "…" in typed.text:
        assert names_nothing(one.words) == []
        return
    done = answer(one, marks, folder, {})
    assert done.code == marks.get("exit", 0), done.errors or done.out


@pytest.mark.parametrize("typed", list(examples()), ids=lambda typed: typed.text)
def test_the_examples_of_a_help_page_work(typed: Typed, folder: Path) -> None:
    (one,) = simples(typed.text)
    assert answer(one, {"exit": "0"}, folder, {}).code in (0, 1)


def test_what_is_said_of_commands_in_prose_is_said_of_one_that_is_there() -> None:
    assert [
        text for text in PROSE if text not in _IN_PROSE and text not in ("options of other tools", "other tools")
    ] == []


@pytest.mark.parametrize("page", _OF_ACCEL, ids=name)
def test_every_option_that_a_sentence_names_exists(page: Path) -> None:
    known = all_options() | set(PROSE["options of other tools"])
    assert [f"{place}: {option}" for place, option in options_in_prose(page) if option not in known] == []


def test_a_page_that_lies_is_noticed(folder: Path) -> None:
    def told(text: str, printed: str = "", code: int = 0) -> str:
        typed = Typed(page="made up", line=1, text=text, printed=printed, code=code)
        try:
            for one in simples(text):
                _held(typed, one, folder, {})
        except AssertionError as error:
            return str(error)
        return ""

    assert "there is no command 'tip'" in told("accel tip")
    assert "--depth" in told("accel doctor --depth")
    assert told("accel doctor report.txt", code=1) == ""
    assert told("accel doctor report.txt") != ""
    assert told("accel explain 'xid 79'", printed="XID 79 is a colour\n") != ""
    assert names_nothing(("accel", "specs", "list", "--nothing")) == ["--nothing"]
    assert _mistakes(Simple(words=("python", "benchmarks/gone.py"), variables={})) != []
    assert _mistakes(Simple(words=("pip", "install", "accel-sdk[speed]"), variables={})) != []


def _held(typed: Typed, one: Simple, folder: Path, variables: dict[str, str]) -> None:
    done = answer(one, typed.marks, folder, variables)
    assert done.code == typed.code, f"{typed}\n{done.out}{done.errors}"
    wrong = shows(typed.printed, done.out + done.errors, form="record" in typed.marks)
    assert not wrong, f"{typed}\nshown: {wrong}\nprinted:\n{done.out}{done.errors}"


def _accel(one: Simple) -> bool:
    return one.words[0].rpartition("/")[2] == "accel"


def _mistakes(one: Simple) -> list[str]:
    """Return what is wrong with a command that is not accel's: a file, an option, an extra that is not there."""
    tool, *words = one.words
    tool = tool.rpartition("/")[2]
    if tool == "nice":
        return _mistakes(Simple(words=tuple(words[2:]), variables={}))
    if tool in ("python", "python3") and words[:1] != ["-m"]:
        return _of_a_script(ROOT / words[0], words[1:])
    if tool in ("python", "python3") and words[1] == "pip":
        tool, words = "pip", words[2:]
    if tool == "pip":
        extras = [extra for word in words for found in re.findall(r"\[(.*)\]", word) for extra in found.split(",")]
        known = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        return [extra for extra in extras if not re.search(rf"^{extra} = \[", known, re.MULTILINE)]
    if tool in ("python", "python3"):
        if words[1] in ("venv", "pytest"):
            return [word for word in words[2:] if "/" in word and not (ROOT / word.partition("::")[0]).exists()]
        found = find_spec(words[1])
        return _of_a_script(Path(found.origin), words[2:]) if found and found.origin else [words[1]]
    if tool in (".", "build.sh", "cd", *PROSE["other tools"]):
        return [] if tool != "build.sh" or (ROOT / one.words[0]).exists() else [tool]
    return [f"{tool}: a tool that no test knows"]


def _of_a_script(path: Path, words: list[str]) -> list[str]:
    if not path.exists():
        return [str(path)]
    text = path.read_text(encoding="utf-8")
    return [word for word in words if word.startswith("--") and f'"{word}"' not in text]
