"""The environment that a user works in, where accel has one of its own: of pipx, or of a uv tool.

Reads   VIRTUAL_ENV, CONDA_PREFIX, else the folder of the first python on PATH
        <prefix>/pyvenv.cfg                      "version = 3.11.7", "version_info = 3.11.7", "home = /usr/bin"
        <prefix>/conda-meta/python-3.11.7-….json the version that conda installed
        <prefix>/lib/python3.11/site-packages    where its packages are
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

_OF_TOOLS: Final = (("pipx", "venvs"), ("uv", "tools"), ("uv", "archive-v0"), ("uv", "environments-v2"))
_VERSION: Final = pattern(r"^version(?:_info)?\s{0,9}=\s{0,9}(\d\.\d{1,3}\.\d{1,3})", re.MULTILINE)
_CONDA: Final = pattern(r"python-(\d\.\d{1,3}\.\d{1,3})-[^/]{1,80}\.json", exact_case=True)
_SYSTEM_TOO: Final = pattern(r"^include-system-site-packages\s{0,9}=\s{0,9}true", re.MULTILINE)


def is_of_a_tool(prefix: str) -> bool:
    """Whether an environment holds accel alone, as pipx and uv make them.

    >>> is_of_a_tool("/home/ann/.local/share/pipx/venvs/accel-sdk"), is_of_a_tool("/home/ann/work/.venv")
    (True, False)
    """
    folders = prefix.replace("\\", "/").split("/")
    return any(one in folders and other in folders for one, other in _OF_TOOLS)


def active_prefix(machine: "Machine", own: str) -> str | None:
    """Return the folder of the environment that is active, or of the first python on PATH; None where there is none.

    own  the folder of accel's own, which is never meant
    """
    return next((prefix for prefix in _prefixes(machine) if prefix != own.rstrip("/")), None)


def _prefixes(machine: "Machine") -> "Iterator[str]":
    variables = machine.environment
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        prefix = variables.get(name, "").rstrip("/")
        if prefix and machine.exists(f"{prefix}/bin"):
            yield prefix
    for folder in variables.get("PATH", "").split(":"):
        for program in ("python3", "python"):
            if folder.endswith("/bin") and machine.exists(f"{folder}/{program}"):
                yield folder.removesuffix("/bin")


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
    library = f"{prefix}/lib/python{found[1].rpartition('.')[0]}"
    if not machine.exists(f"{library}/site-packages"):
        return None
    first = tuple(path for path in machine.environment.get("PYTHONPATH", "").split(":") if path)
    return found[1], (*first, library, f"{library}/site-packages")
