"""The facts about one Python environment, read from its files: nothing in it is imported.

layout.py         where a Python looks for packages, by the layout of its folder
active.py         the environment that a user works in, if accel has an environment of its own
interpreter.py    which interpreter: this one, or the one of --python
nearby.py         which environments with frameworks exist
distributions.py  what is installed, from the names of dist-info folders
metadata.py       whether the metadata is complete, and matches the installed files
files.py          whether the files are those that the metadata records
shadowing.py      the user's own files that are imported instead of a module
prefix.py         whether the environment's folder, PYTHONPATH and PYTHONHOME belong to the Python that starts
numpy_modules.py  which compiled modules were built for NumPy 1
objects.py        shared objects, each read once
loader.py         which libraries a framework would miss, or load from elsewhere, at import and later
windows_loader.py the same for DLLs on Windows
requirements.py   the declared requirements of the distributions, compared with what is installed
builds.py         what the frameworks' binaries were built for
companions.py     whether torchvision and torchaudio are from the same build as torch
libraries.py      which shared libraries its processes would load, and from where
variables.py      the environment variables that concern accelerators
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from accel.collect.environment.builds import framework_builds
from accel.collect.environment.companions import unlike_companions
from accel.collect.environment.distributions import installed
from accel.collect.environment.files import damage
from accel.collect.environment.interpreter import interpreter_of
from accel.collect.environment.libraries import library_copies, toolkits
from accel.collect.environment.loader import loaded
from accel.collect.environment.numpy_modules import modules_for_numpy_1
from accel.collect.environment.prefix import foreign_variables, gone_base, strange_prefix
from accel.collect.environment.requirements import requirements
from accel.collect.environment.variables import relevant_variables
from accel.collect.environment.windows_loader import loaded_on_windows
from accel.machine.protocol import Machine
from accel.model.environment import Environment
from accel.model.observation import Missing, Noted, Observation

_EXPLAIN_MISSING: Final = ("requirement-missing", "package-file-missing", "package-file-cut")


def environment_facts(machine: Machine, python: str | None = None) -> Environment:
    """Return one environment: of this process, or of the interpreter at `python`; unknown facts are gaps."""
    return looked_at(machine, python)[0]


def looked_at(
    machine: Machine, python: str | None = None, *, architecture: str | None = None, named: bool = True
) -> tuple[Environment, tuple[Observation, ...]]:
    """Return one environment, and the observations about its files.

    architecture  the host's, "x86_64", for markers
    named         the user has named this Python: it is started to print its version. Otherwise nothing in it is run
    """
    interpreter, gaps = interpreter_of(machine, python, named=named)
    variables = relevant_variables(machine.environment)
    gone = gone_base(machine, python or machine.environment.get("VIRTUAL_ENV"))
    if interpreter is None:
        return Environment(python_executable=python, variables=variables, gaps=gaps), gone
    found = installed(machine, interpreter)
    packages = found.packages
    needs = requirements(machine, found.distributions, interpreter.version, architecture)
    environment = Environment(
        python_version=interpreter.version,
        python_executable=interpreter.executable,
        packages=packages,
        complete=True,
        requirements_read=needs.read or None,
        frameworks=framework_builds(machine, packages),
        libraries=library_copies(machine, interpreter, packages),
        toolkits=toolkits(machine),
        variables=variables,
        gaps=gaps,
    )
    files = (
        *damage(machine, interpreter, found, architecture),
        *gone,
        *strange_prefix(machine, interpreter, found),
        *foreign_variables(machine, interpreter),
        *unlike_companions(machine, packages, environment.frameworks),
        *modules_for_numpy_1(machine, found, _silent_on_numpy_2(needs.asking)),
    )
    libraries = loaded(machine, packages, tuple(found.names), architecture)
    if any(isinstance(one, Noted) and one.fact in _EXPLAIN_MISSING for one in (*needs.unmet, *files)):
        libraries = tuple(one for one in libraries if not isinstance(one, Missing))  # its cause is noted
    dlls = loaded_on_windows(machine, interpreter, packages)
    return environment, (*found.notes, *needs.unmet, *files, *libraries, *dlls)


def _silent_on_numpy_2(asking: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """Yield the packages that require NumPy without bounds on its second major version."""
    return (by for by, name, wants in asking if name == "numpy" and not re.search(r"[<=>~] ?[23]\b", wants))


__all__ = ["environment_facts", "looked_at"]
