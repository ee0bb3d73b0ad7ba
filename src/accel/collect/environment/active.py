"""The environment that a user works in, where accel has one of its own: of pipx, or of a uv tool.

Reads   <own>/pipx_metadata.json, <own>/uv-receipt.toml    which pipx and uv leave in the environments of tools
        VIRTUAL_ENV, CONDA_PREFIX, else the folder of the first python on PATH
        <prefix>/pyvenv.cfg                      "version = 3.11.7", "version_info = 3.11.7", "home = /usr/bin"
        <prefix>/conda-meta/python-3.11.7-….json the version that conda installed
        <prefix>/lib/python3.11/site-packages    where its packages are; on Windows <prefix>/Lib/site-packages
Nothing is run: an interpreter that was not named may be anybody's.
Source  PEP 405; conda: conda-meta; pipx and uv: where they put the environments of tools
"""

import re
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text, names_in
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from accel.machine.protocol import Machine

_RECEIPTS: Final = ("pipx_metadata.json", "uv-receipt.toml")
_OF_TOOLS: Final = ("/pipx/venvs/", "/uv/tools/", "/uv/archive-v0/", "/uv/environments-v2/")  # uvx leaves no receipt
_PROGRAMS: Final = ("bin/python", "bin/python3")
_ON_WINDOWS: Final = ("Scripts/python.exe", "python.exe")
_VERSION: Final = pattern(r"^version(?:_info)?\s{0,9}=\s{0,9}(\d\.\d{1,3}\.\d{1,3})", re.MULTILINE)
_CONDA: Final = pattern(r"python-(\d\.\d{1,3}\.\d{1,3})-[^/]{1,80}\.json", exact_case=True)
_SYSTEM_TOO: Final = pattern(r"^include-system-site-packages\s{0,9}=\s{0,9}true", re.MULTILINE)


def is_of_a_tool(machine: "Machine", prefix: str) -> bool:
    """Whether an environment holds accel alone, as pipx and uv make them."""
    folder = prefix.replace("\\", "/").rstrip("/") + "/"
    return any(part in folder for part in _OF_TOOLS) or any(machine.exists(f"{folder}{name}") for name in _RECEIPTS)


def active_python(machine: "Machine", own: str) -> tuple[str, str] | None:
    """Return the folder and the interpreter of the active environment, else of the first python on PATH.

    own  the folder of accel's own, which is never meant
    """
    programs = _ON_WINDOWS if machine.system == "windows" else _PROGRAMS
    for prefix in _prefixes(machine):
        python = next((path for name in programs if machine.exists(path := f"{prefix}/{name}")), None)
        if python is not None and prefix != own.replace("\\", "/").rstrip("/"):
            return prefix, python
    return None


def _prefixes(machine: "Machine") -> "Iterator[str]":
    variables = machine.environment
    named = [variables.get(name, "") for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    windows = machine.system == "windows"
    for folder in variables.get("PATH", "").split(";" if windows else ":"):
        plain = folder.replace("\\", "/").rstrip("/")
        named.append(plain.removesuffix("/Scripts") if windows else plain.removesuffix("/bin"))
    yield from dict.fromkeys(prefix for one in named if (prefix := one.replace("\\", "/").rstrip("/")))


def read_from_files(machine: "Machine", prefix: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the version of a venv's or a conda environment's Python and where it looks for packages.

    None if the files do not tell it: a venv that also shows the packages of its base is not told by its own.
    """
    made = file_text(machine, f"{prefix}/pyvenv.cfg")
    if made is not None and _SYSTEM_TOO.search(made):
        return None
    names = () if made is not None else names_in(machine, f"{prefix}/conda-meta")
    found = _VERSION.search(made or "") or next((hit for name in names if (hit := _CONDA.fullmatch(name))), None)
    if found is None:
        return None
    windows = machine.system == "windows"
    library = f"{prefix}/Lib" if windows else f"{prefix}/lib/python{found[1].rpartition('.')[0]}"
    if not machine.exists(f"{library}/site-packages"):
        return None
    variable = machine.environment.get("PYTHONPATH", "")
    first = tuple(path for path in variable.split(";" if windows else ":") if path)
    return found[1], (*first, library, f"{library}/site-packages")
