"""Builds the environments of environments.yaml: small wheels, installed by pip without an index."""

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import warm_accel
from small_elf import small_elf

from accel.specs.store import parse

STATED: Mapping[str, Any] = parse(str(Path(__file__).parent / "environments.yaml"))


class Builder:
    """Builds environments below a folder. Their own Python has no pip: this one's installs into them, if it has one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def build(self, name: str) -> Path:
        """Return the interpreter of an environment, installed and then damaged as stated."""
        stated, prefix = STATED["environments"][name], self._folder / name
        venv.create(prefix, with_pip=False, symlinks=True)
        python = prefix / "bin" / "python"
        for step in (stated["install"], stated.get("then")):
            if step:
                wheels = [str(self._wheel(one)) for one in step]
                self._pip(prefix, "install", "--quiet", "--no-deps", "--no-index", "--prefix", str(prefix), *wheels)
        site = _site(prefix)
        for wheel in stated.get("unpack", ()):
            with zipfile.ZipFile(self._wheel(wheel)) as archive:
                archive.extractall(site)
        _damage(site, stated)
        return python

    def variables(self, name: str) -> Mapping[str, str]:
        """Return the variables that a program in an environment is started with; paths are below its prefix."""
        stated: Mapping[str, str] = STATED["environments"][name].get("variables", {})
        return {key: str(self._folder / name / path) for key, path in stated.items()}

    def pip_check(self, python: Path) -> str:
        """Return what `pip check` says of an environment."""
        return self._pip(python.parent.parent, "check", may_fail=True)

    def end(self) -> None:
        """End the interpreter that keeps pip."""
        self._installer().communicate()

    def _pip(self, prefix: Path, *words: str, may_fail: bool = False) -> str:
        request = {"prefix": str(prefix), "site": str(_site(prefix)), "words": words}
        asked = self._installer()
        assert asked.stdin is not None
        assert asked.stdout is not None
        asked.stdin.write(json.dumps(request) + "\n")
        asked.stdin.flush()
        answer = json.loads(asked.stdout.readline())
        if answer["code"] and not may_fail:
            raise RuntimeError(f"{words}: {answer['said']}")
        return str(answer["said"])

    @cache  # noqa: B019  one builder a session
    def _installer(self) -> "subprocess.Popen[str]":
        python = sys.executable
        if find_spec("pip") is None:  # a virtual environment with pip takes seconds to make
            venv.create(self._folder / "installer", with_pip=True, symlinks=True)
            python = str(self._folder / "installer" / "bin" / "python")
        argv = [python, str(Path(__file__).with_name("warm_pip.py"))]
        return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    @cache  # noqa: B019
    def _wheel(self, requirement: str) -> Path:
        stated = STATED["wheels"][requirement]
        name, _, version = requirement.partition("==")
        module, folder = name.replace("-", "_"), self._folder / "wheels"
        content = {path: text.encode() for path, text in stated.get("files", {}).items()}
        content |= {
            path: small_elf(*row.pop("needed", ()), soname=Path(path).name, **row)
            for path, row in ((path, dict(row)) for path, row in stated.get("libraries", {}).items())
        }
        info = f"{module}-{version}.dist-info"
        content = content or {f"{module}/__init__.py": f'__version__ = "{version}"\n'.encode()}
        requires = "".join(f"Requires-Dist: {one}\n" for one in stated.get("requires", ()))
        content[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}\n".encode()
        content[f"{info}/WHEEL"] = (
            f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {stated.get('tag', 'py3-none-any')}\n"
        ).encode()
        record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in content.items())
        content[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
        folder.mkdir(exist_ok=True)
        path = folder / f"{module}-{version}-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for file, data in content.items():
                archive.writestr(file, data)
        return path


def _site(prefix: Path) -> Path:
    return next((prefix / "lib").glob("python3*/site-packages"))


def _damage(site: Path, stated: Mapping[str, Any]) -> None:
    """Do to the installed files what is stated; paths are below site-packages."""
    for path in stated.get("remove", ()):
        if (site / path).is_dir():
            shutil.rmtree(site / path)
        else:
            (site / path).unlink()
    for path, size in stated.get("cut", {}).items():
        (site / path).write_bytes((site / path).read_bytes()[:size])
    for path in stated.get("zero", ()):
        (site / path).write_bytes(bytes((site / path).stat().st_size))
    for path, text in stated.get("write", {}).items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text, encoding="utf-8")
    for path, target in stated.get("move", {}).items():
        (site / target).parent.mkdir(parents=True, exist_ok=True)
        (site / path).rename(site / target)
        (site / path).symlink_to((site / target).resolve())
    for path, target in stated.get("link", {}).items():
        (site / path).unlink(missing_ok=True)
        (site / path).symlink_to(target)
    if "python" in stated:  # the environment was made by another Python
        (site.parent.parent / stated["python"]).mkdir()
        site.rename(site.parent.parent / stated["python"] / "site-packages")
        site.mkdir()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def doctor(python: Path, variables: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    """Return what accel finds in an environment, as JSON has it; what it finds of the machine is left out."""
    seen = {**os.environ, **(variables or {})}
    done = warm_accel.run("doctor", "--json", "--python", str(python), environment=seen)
    found: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return [finding for finding in found if finding["layer"] == "framework"]
