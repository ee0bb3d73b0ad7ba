"""The facts of one Python environment, read from its files: nothing of it is imported.

interpreter.py    which interpreter: this one, or the one of --python
distributions.py  what is installed, from the names of dist-info folders
builds.py         what the frameworks' binaries were built for
libraries.py      which shared libraries its processes would load, and from where
variables.py      the environment variables that bear on accelerators
"""

from typing import TYPE_CHECKING

from accel.collect.environment.builds import framework_builds
from accel.collect.environment.distributions import distributions
from accel.collect.environment.interpreter import interpreter_of
from accel.collect.environment.libraries import library_copies, toolkits
from accel.collect.environment.variables import relevant_variables
from accel.model.environment import Environment

if TYPE_CHECKING:
    from accel.machine.protocol import Machine


def environment_facts(machine: "Machine", python: str | None = None) -> Environment:
    """Return one environment: of this process, or of the interpreter at `python`; what is unknown is a gap."""
    interpreter, gaps = interpreter_of(machine, python)
    variables = relevant_variables(machine.environment)
    if interpreter is None:
        return Environment(python_executable=python, variables=variables, gaps=gaps)
    packages = distributions(machine, interpreter.paths)
    return Environment(
        python_version=interpreter.version,
        python_executable=interpreter.executable,
        packages=packages,
        complete=True,
        frameworks=framework_builds(machine, packages),
        libraries=library_copies(machine, interpreter, packages),
        toolkits=toolkits(machine),
        variables=variables,
        gaps=gaps,
    )


__all__ = ["environment_facts"]
