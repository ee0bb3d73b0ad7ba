"""Read conda's (mamba's, micromamba's) lists of installed packages.

    # packages in environment at /opt/conda/envs/py310:
    #
    # Name                    Version                   Build  Channel
    pytorch                   2.1.0           py3.10_cuda12.1_cudnn8.9.2_0    pytorch
    numpy                     1.26.4                   pypi_0    pypi
    libgcc-ng                 11.2.0               h1234567_1
  pytorch            pytorch/win-64::pytorch-1.10.0-py3.6_cpu_0        what a plan will install
micromamba:   List of packages in environment: "/opt/conda", then Name, Version, Build, Channel over a line of ─

A list with its heading is the whole environment, unless grep filtered it.
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.package import package_of
from accel.facts.readers.pip_list import bears_on_accelerators
from accel.model.environment import Environment, Package
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading

_AT: Final = pattern(
    r"[ \t]*#? ?(?:packages in environment at|List of packages in environment:) \"?(?P<path>[^\"\s]*?"
    r"(?:[ \t]+[^\"\s]+?)*?)\"?:?[ \t]*$"
)
_HEADING: Final = pattern(r"[ \t]*(?:#[ \t]*)?Name[ \t]+Version[ \t]+Build[ \t]+Channel[ \t]*$")
_ROW: Final = pattern(
    r"[ \t]*(?P<name>[a-zA-Z_][\w.-]*)[ \t]+(?P<version>\d[\w.+!-]*)[ \t]+(?P<build>[\w.<>+*]+)(?:[ \t]+"
    r"(?P<channel>[\w.:/<>-]+))?[ \t]*$"
)
_PLANNED: Final = pattern(
    r"[ \t]*(?P<name>[a-zA-Z_][\w.-]*)[ \t]+[\w.-]{1,80}/(?:linux|win|osx|noarch)[\w-]{0,20}::"
    r"(?P<file>[\w.+!-]{3,160})[ \t]*$"
)
# Build strings as conda writes them: a hash, "pypi_0", "py310_0", "cuda120py310…", a bare number.
_BUILD: Final = pattern(r"(?:pypi_\d|<pip>|\d{1,4}|(?:\w[\w.]{0,80}_)?\w{0,80}\d)$|py\d|cuda|cpu|gpu|mkl|pyhd8ed")


def _read(text: str) -> Iterator[Reading]:
    rows: list[Package] = []
    first, headed, path = 0, False, None
    lines = text.split("\n")
    for number, line in enumerate([*lines, ""]):
        at = _AT.match(line) if "environment" in line and len(line) < 400 else None
        if (
            at
            or _HEADING.match(line[:200])
            or (headed and line.strip(" \t#─-") == "" and number < len(lines) and not rows)
        ):
            headed, path = True, at["path"] if at else path
            first = number if not rows else first
            continue
        package = _row(line)
        if package is None:
            if reading := _list(rows, first, number, headed, path):
                yield reading
            rows, headed, path = [], False, None
            continue
        first = number if not rows and not headed else first
        rows.append(package)


def _row(line: str) -> Package | None:
    found = _ROW.match(line) if 8 < len(line) < 300 else None
    if found is None and "::" in line and (planned := _PLANNED.match(line[:300])):
        version, build = planned["file"].split("-")[-2:] if planned["file"].count("-") > 1 else ("", "")
        return package_of(planned["name"], version, build=build, channel="conda") if version[:1].isdecimal() else None
    if found is None:
        return None
    build, channel = found["build"], found["channel"]
    if channel is None and not _BUILD.match(build):
        return None
    if channel == "pypi" or build.startswith("pypi") or build == "<pip>":
        return package_of(found["name"], found["version"])
    return package_of(found["name"], found["version"], build=build, channel="conda")


def _list(rows: list[Package], first: int, end: int, headed: bool, path: str | None) -> Reading | None:
    if not rows or not (headed or any(bears_on_accelerators(p.name) for p in rows)):
        return None
    complete = headed and ("python" in {package.name for package in rows} or len(rows) >= 40)
    python = next((p.version for p in rows if p.name == "python" and p.channel == "conda"), None)
    environment = Environment(
        packages=tuple(dict.fromkeys(rows)),
        complete=complete,
        python_version=python,
        variables=(("CONDA_PREFIX", path),) if path else None,
    )
    return Reading(source=READER.name, environment=environment, first_line=first + 1, last_line=end)


READER = Reader(
    name="conda list",
    signs=(
        *("# packages in environment", "List of packages in environment", "Build  Channel", "pypi_0", "conda", "_cud"),
        *("py3", "pytorch"),
    ),
    read=_read,
)
