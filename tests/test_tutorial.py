"""The tutorials for plugin authors, done as they are written: every command, every file, every change, in order.

```console            a line "$ …" is typed; what stands below it must be printed ("…" stands for anything)
```console exit=1     the block's last command ends with 1
```python file=PATH   the file is written
```diff file=PATH     the file is changed; the lines with "-" and " " must stand in it once

pip works as a reader's would, but in a new environment that sees the packages of this one in place of an index.
"""

import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
_BLOCK = re.compile(r"^```(?P<kind>\w+)(?: (?P<key>file|exit)=(?P<value>\S+))?\n(?P<text>.*?)^```$", re.M | re.S)
_TOOLS = ("accel", "mypy", "pip", "pytest")
_RUFF = Path(sysconfig.get_path("scripts")) / "ruff"  # a program, which  python -m ruff  looks for beside Python

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.name != "posix"
        or not _RUFF.exists()
        or any(importlib.util.find_spec(name) is None for name in ("pip", "hatchling", *_TOOLS)),
        reason="types the tutorial's commands: a POSIX shell, pip, hatchling, mypy and ruff are needed",
    ),
]


@dataclass(frozen=True)
class Reader:
    """Somebody who follows a page. Where they are is kept in `place`."""

    environment: dict[str, str]
    place: list[Path]

    def follow(self, page: str) -> None:
        for block in _BLOCK.finditer((DOCS / page).read_text(encoding="utf-8")):
            if block["kind"] == "console":
                for command, printed, last in _commands(block["text"]):
                    self._type(command, printed, int(block["value"] or 0) if last else 0)
            elif block["key"] == "file" and block["kind"] == "diff":
                self._change(self.place[0] / block["value"], block["text"])
            elif block["key"] == "file":
                path = self.place[0] / block["value"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block["text"], encoding="utf-8")

    def _type(self, command: str, printed: str, code: int) -> None:
        if command.startswith("cd "):
            self.place[0] = self.place[0] / command.removeprefix("cd ")
            return
        done = subprocess.run(
            command,
            shell=True,
            cwd=self.place[0],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == code, f"$ {command}\n{done.stdout}"
        shown = "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())
        if printed and not re.fullmatch(_form(printed), shown, re.S):
            assert shown == printed, f"$ {command}"

    def _change(self, path: Path, change: str) -> None:
        lines = change.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        text = path.read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{path}:\n{before}"
        path.write_text(text.replace(before, "".join(line[1:] for line in lines if line[0] in " +")), encoding="utf-8")


def _commands(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield each command, what it prints, and whether it is the last."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    for number, part in enumerate(parts, 1):
        command, _, printed = part.partition("\n")
        yield command, printed, number == len(parts)


def _form(printed: str) -> str:
    """Return what the printed text must look like: "…" is anything, within a line or as one; columns may be wider."""
    lines = (r"(?:[^\n]*\n)*" if line == "…" else _columns(re.escape(line).replace("…", "[^\n]*")) + r"\n"
             for line in printed.splitlines())  # fmt: skip
    return "".join(lines)


def _columns(form: str) -> str:
    """Let a table's columns be as wide as this machine's names need."""
    return re.sub(r"─{2,}", "─+", re.sub(r"(?:\\ ){2,}", r"\\ +", form))


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    """Somebody in an empty folder, with an environment of their own into which accel is installed."""
    home = tmp_path
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home / "venv")], check=True)
    (site,) = (home / "venv" / "lib").glob("python*/site-packages")
    (site / "here.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    programs = home / "venv" / "bin"
    for tool in _TOOLS:
        (programs / tool).write_text(f'#!/bin/sh\nexec "{programs}/python" -m {tool} "$@"\n')
        (programs / tool).chmod(0o755)
    (programs / "ruff").symlink_to(_RUFF)
    (home / "work").mkdir()
    environment = {
        "PATH": f"{programs}:/usr/bin:/bin",
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "COLUMNS": "100",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_QUIET": "1",
    }
    return Reader(environment, [home / "work"])


def test_the_tutorials_lead_from_nothing_to_a_plugin_that_keeps_its_promises_and_on_to_a_check(reader: Reader) -> None:
    reader.follow("add-a-backend.md")
    reader.follow("add-a-check.md")
    reader.follow("conformance.md")
