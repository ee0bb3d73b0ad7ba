"""The environment that a user works in, if accel has an environment of its own, from pipx or as a uv tool.

Reads   <own>/pipx_metadata.json, <own>/uv-receipt.toml    which pipx and uv write into the environments of tools
        VIRTUAL_ENV, CONDA_PREFIX, else the folder of the first python on PATH
Nothing is run: an interpreter that the user did not name may belong to anybody.
Source  pipx and uv: where they put the environments of tools
"""

from collections.abc import Iterator
from typing import Final

from accel.machine.protocol import Machine

_RECEIPTS: Final = ("pipx_metadata.json", "uv-receipt.toml")
_OF_TOOLS: Final = ("/pipx/venvs/", "/uv/tools/", "/uv/archive-v0/", "/uv/environments-v2/")  # uvx leaves no receipt
_PROGRAMS: Final = ("bin/python", "bin/python3")
_ON_WINDOWS: Final = ("Scripts/python.exe", "python.exe")


def is_of_a_tool(machine: Machine, prefix: str) -> bool:
    """Return whether an environment contains only accel, as created by pipx and uv."""
    folder = prefix.replace("\\", "/").rstrip("/") + "/"
    return any(part in folder for part in _OF_TOOLS) or any(machine.exists(f"{folder}{name}") for name in _RECEIPTS)


def active_python(machine: Machine, own: str) -> tuple[str, str] | None:
    """Return the folder and the interpreter of the active environment, or of the first python on PATH.

    own  the folder of accel's own environment, which is never returned
    """
    programs = _ON_WINDOWS if machine.system == "windows" else _PROGRAMS
    for prefix in _prefixes(machine):
        python = next((path for name in programs if machine.exists(path := f"{prefix}/{name}")), None)
        if python is not None and prefix != own.replace("\\", "/").rstrip("/"):
            return prefix, python
    return None


def _prefixes(machine: Machine) -> Iterator[str]:
    variables = machine.environment
    named = [variables.get(name, "") for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    windows = machine.system == "windows"
    for folder in variables.get("PATH", "").split(";" if windows else ":"):
        plain = folder.replace("\\", "/").rstrip("/")
        named.append(plain.removesuffix("/Scripts") if windows else plain.removesuffix("/bin"))
    yield from dict.fromkeys(prefix for one in named if (prefix := one.replace("\\", "/").rstrip("/")))
