"""What only some commands need: looked for when they run, and named with the command of the installer in use.

Named are the libraries, with the versions that accel's own metadata ask for: this holds also where accel itself is on
no package index.
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
    """Raise BadInput if a module that an extra brings is not installed.

    command  that needs it, as people know it: "accel serve"
    """
    missing = [name for name in modules if _is_missing(name)]
    if missing:
        install = install_command(libraries_of(extra, _requirements()), _installer(), sys.prefix, sys.executable)
        how = f" Install it:  {install}" if install else f" Install what the extra {extra} of {_PROJECT} names."
        raise BadInput(f"{command} needs {', '.join(missing)}, which is not installed here.{how}")


def libraries_of(extra: str, requirements: Sequence[str]) -> tuple[Word, ...]:
    """Return the libraries that an extra brings, of the requirements in accel's metadata.

    >>> libraries_of("top", ["rich>=13", "textual>=1; extra == 'top'", "ruff; extra == 'dev'"])
    ('textual>=1',)
    """
    read = [Requirement(line) for line in requirements]
    named = (bounded_word(one.name, str(one.specifier)) for one in read if _is_of(one, extra))
    return tuple(word for word in named if word is not None)


def _is_of(requirement: Requirement, extra: str) -> bool:
    """Whether a requirement is asked for by this extra alone."""
    marker = requirement.marker
    return marker is not None and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""})


def install_command(libraries: Sequence[Word], installer: str | None, prefix: str, python: str) -> str | None:
    """Return the command that adds libraries to this installation of accel; None where there are none.

    installer  as the package's metadata names it: "pip", "uv", "conda", "poetry"; None: it does not
    prefix     of the interpreter, whose path tells installations of their own; python: the interpreter
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
    except (ImportError, ValueError):  # its parent is not there, or what is in its place is no module
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
