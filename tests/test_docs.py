"""The reference pages can be built, and links lead somewhere. Commands on pages: tests/pages, test_tutorial.py."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import accel
from accel.apps.cli import COMMANDS
from accel.plugins.registry import Registry

ROOT = Path(__file__).parent.parent
_DOCS = [page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "reference"]
PAGES = sorted([*ROOT.glob("*.md"), *_DOCS, *ROOT.glob("plugins/*/README.md")])
_LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    links = _LINK.finditer(page.read_text(encoding="utf-8"))
    assert [link["path"] for link in links if not (page.parent / link["path"]).exists()] == []


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "reference"
    _generate("--to", str(folder))
    return folder


def _generate(*words: str) -> None:
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_pages_can_be_made_and_the_lists_of_pyproject_are_current() -> None:
    _generate("--check")


def test_docs_readme_lists_every_page_that_is_built(built: Path) -> None:
    listed = re.findall(r"^\| `([\w.-]+)` \|", (ROOT / "docs" / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(page.name for page in built.iterdir())


def test_a_built_page_holds_every_check_command_and_public_name(built: Path) -> None:
    checks, cli, api = ((built / name).read_text(encoding="utf-8") for name in ("checks.md", "cli.md", "api.md"))
    assert [c.code for c in Registry({}).checks if f"## {c.code} {c.name}" not in checks] == []
    assert [name for name in COMMANDS if f"## accel {name}\n" not in cli] == []
    assert [name for name in accel.__all__ if f"## accel.{name}\n" not in api] == []


def test_every_link_of_a_built_page_leads_to_a_file(built: Path) -> None:
    for page in built.glob("*.md"):
        links = {link["path"] for link in _LINK.finditer(page.read_text(encoding="utf-8"))}
        here = {
            path for path in links if (built / path).exists() or (ROOT / "docs" / "reference" / path).resolve().exists()
        }
        assert links - here == set(), page.name
