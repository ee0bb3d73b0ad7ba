"""What only some commands need: looked for when they run, and named with the command of the installer in use."""

import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from typing import Final

from accel.contract.command import command_line, package_word, path_word
from accel.model.errors import BadInput

_PROJECT: Final = "accel-sdk"


def check_extra(extra: str, command: str, *modules: str) -> None:
    """Raise BadInput if a module that an extra brings is not installed.

    command  that needs it, as people know it: "accel serve"
    """
    missing = [name for name in modules if _is_missing(name)]
    if missing:
        install = install_command(extra, _installer(), sys.prefix, sys.executable)
        raise BadInput(f"{command} needs {', '.join(missing)}, which is not installed here. Install it:  {install}")


def install_command(extra: str, installer: str | None, prefix: str, python: str) -> str | None:
    """Return the command that adds an extra to this installation of accel.

    installer  as the package's metadata names it: "pip", "uv", "conda", "poetry"; None: it does not
    prefix     of the interpreter, whose path tells installations of their own; python: the interpreter
    """
    wanted, folders = package_word(_PROJECT, extra), prefix.replace("\\", "/").split("/")
    if "pipx" in folders:
        return command_line("pipx install --force", wanted)
    if "uv" in folders and "tools" in folders:
        return command_line("uv tool install", wanted)
    if installer == "uv":
        return command_line("uv pip install --python", path_word(python), wanted)
    if installer == "poetry":
        return command_line("poetry add", wanted)
    if installer == "pdm":
        return command_line("pdm add", wanted)
    return command_line(path_word(python), "-m pip install", wanted) or command_line("pip install", wanted)


def _is_missing(module: str) -> bool:
    try:
        return find_spec(module) is None
    except (ImportError, ValueError):  # its parent is not there, or what is in its place is no module
        return True


def _installer() -> str | None:
    try:
        return (distribution(_PROJECT).read_text("INSTALLER") or "").strip().lower() or None
    except PackageNotFoundError:
        return None
