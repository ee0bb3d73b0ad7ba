"""The libraries that only some commands need: checked when they run, and named with an install command.

It names the libraries with the versions that accel's own metadata require, so it works even if accel itself is on no
package index.
"""

import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from typing import Final

from packaging.requirements import Requirement

from accel.model.errors import BadInput
from accel.vendors.contract.command import Word, bounded_word, command_line, path_word

_PROJECT: Final = "accel-sdk"


def check_extra(extra: str, command: str, *modules: str) -> None:
    """Raise BadInput if a module of an extra is not installed.

    command  the command that needs it, as the user types it: "accel serve"
    """
    missing = [name for name in modules if _is_missing(name)]
    if missing:
        install = install_command(libraries_of(extra, _requirements()), _installer(), sys.prefix, sys.executable)
        how = f" Install it:  {install}" if install else f" Install what the extra {extra} of {_PROJECT} names."
        raise BadInput(f"{command} needs {', '.join(missing)}, which is not installed here.{how}")


def libraries_of(extra: str, requirements: Sequence[str]) -> tuple[Word, ...]:
    """Return the libraries of an extra, from the requirements in accel's metadata.

    >>> libraries_of("top", ["rich>=13", "textual>=1; extra == 'top'", "ruff; extra == 'dev'"])
    ('textual>=1',)
    """
    read = [Requirement(line) for line in requirements]
    named = (bounded_word(one.name, str(one.specifier)) for one in read if _is_of(one, extra))
    return tuple(word for word in named if word is not None)


def _is_of(requirement: Requirement, extra: str) -> bool:
    """Return whether only this extra asks for a requirement."""
    marker = requirement.marker
    return marker is not None and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""})


def install_command(libraries: Sequence[Word], installer: str | None, prefix: str, python: str) -> str | None:
    """Return the command that adds libraries to this installation of accel; None if there is none.

    installer  from the package's metadata: "pip", "uv", "conda", "poetry"; None if unknown
    prefix     of the interpreter; its path identifies isolated installations; python: the interpreter
    """
    if not libraries:
        return None
    folders = prefix.replace("\\", "/").split("/")
    if "pipx" in folders:
        return command_line("pipx inject accel-sdk", *libraries)
    if installer == "uv" or ("uv" in folders and "tools" in folders):
        return command_line("uv pip install --python", path_word(python), *libraries)
    if installer == "poetry":
        return command_line("poetry add", *libraries)
    if installer == "pdm":
        return command_line("pdm add", *libraries)
    return command_line(path_word(python), "-m pip install", *libraries) or command_line("pip install", *libraries)


def _is_missing(module: str) -> bool:
    try:
        return find_spec(module) is None
    except (ImportError, ValueError):  # its parent does not exist, or is not a module
        return True


def _installer() -> str | None:
    try:
        return (distribution(_PROJECT).read_text("INSTALLER") or "").strip().lower() or None
    except PackageNotFoundError:
        return None


def _requirements() -> Sequence[str]:
    try:
        return distribution(_PROJECT).requires or ()
    except PackageNotFoundError:
        return ()
