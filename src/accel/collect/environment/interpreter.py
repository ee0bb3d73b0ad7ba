"""Which Python interpreter, and where it looks for modules.

An interpreter is started only if the user named it, and then with -I -S: neither .pth files nor a sitecustomize of its
environment run, and it ignores our variables. The location of its packages is read from files (layout.py).
"""

import json
import posixpath
import re
from typing import Final

from accel.collect.environment.active import active_python, is_of_a_tool
from accel.collect.environment.layout import packages_of, read_from_files
from accel.machine.protocol import Machine
from accel.model.dataclass import dataclass
from accel.model.device import Gap
from accel.vendors.contract.command import command_line, path_word

_DEADLINE_SECONDS: Final = 5.0
_QUESTION: Final = (
    "import json, sys; print(json.dumps([sys.executable, '%d.%d.%d' % sys.version_info[:3], sys.path, sys.prefix]))"
)
_ALONE: Final = ("-I", "-S")


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """An interpreter. paths is its sys.path; prefix the root of its environment."""

    executable: str | None
    version: str
    paths: tuple[str, ...]
    prefix: str


def interpreter_of(
    machine: Machine, python: str | None, *, named: bool = True
) -> tuple[Interpreter | None, tuple[Gap, ...]]:
    """Return the interpreter to inspect; None and a gap if it does not answer.

    python  None: this one, or the active environment's if accel has an environment of its own
    named   the user has named it: it is started in a child process. Otherwise only its files are read
    """
    if python is None:
        executable, version, paths, prefix = machine.interpreter()
        if is_of_a_tool(machine, prefix):
            return _active(machine, prefix)
        return Interpreter(executable=executable, version=version, paths=paths, prefix=prefix), ()
    given, python = python, _program(machine, python)
    if not named:
        return _from_files(machine, python)
    done = machine.run([python, *_ALONE, "-c", _QUESTION], _DEADLINE_SECONDS)
    if done.exit_code == 0 and (told := _told(done.stdout)) is not None:
        return _with_packages(machine, told), ()
    if done.missing:
        why = "there is no Python. Give an interpreter, or the folder of an environment:  accel doctor --python .venv"
    elif done.timed_out:
        why = f"it did not answer within {_DEADLINE_SECONDS:.0f} s"
    else:
        said = re.sub(r"\s+", " ", done.stderr.strip())[-200:]
        why = f"it did not answer like a Python interpreter (exit code {done.exit_code}): {said or 'no output'}"
    return None, (Gap(fact="python environment", reason=f"{given}: {why}", source=given),)


def _told(said: str) -> Interpreter | None:
    """Return what an interpreter printed about itself; None if the output is something else."""
    try:
        executable, version, paths, prefix = json.loads(said.strip().rpartition("\n")[2])
    except (ValueError, TypeError, RecursionError):
        return None
    if not all(isinstance(one, str) for one in (executable, version, prefix)) or not isinstance(paths, list):
        return None
    paths = tuple(path for path in paths if isinstance(path, str) and path)
    return Interpreter(executable=executable, version=version, paths=paths, prefix=prefix)


def _with_packages(machine: Machine, told: Interpreter) -> Interpreter:
    """Add the package folders that a program would have to the standard library's paths, which -S leaves."""
    folder = posixpath.dirname((told.executable or "").replace("\\", "/"))
    above = posixpath.dirname(folder)
    venv = next((place for place in (above, folder) if place and machine.exists(f"{place}/pyvenv.cfg")), None)
    prefix = told.prefix if venv is None else venv
    windows = machine.system == "windows"
    variable = machine.environment.get("PYTHONPATH", "")
    first = [path for path in variable.split(";" if windows else ":") if path]
    paths = dict.fromkeys((*first, *told.paths, *packages_of(machine, prefix, told.version)))
    return Interpreter(executable=told.executable, version=told.version, paths=tuple(paths), prefix=prefix)


def _from_files(machine: Machine, python: str) -> tuple[Interpreter | None, tuple[Gap, ...]]:
    """Return an interpreter that the user did not name, from the files in its folder; it is not started."""
    prefix = posixpath.dirname(posixpath.dirname(python))
    told = read_from_files(machine, prefix)
    if told is not None:
        return Interpreter(executable=python, version=told[0], paths=told[1], prefix=prefix), ()
    look = command_line("accel doctor --python", path_word(python)) or "accel doctor --python FOLDER"
    reason = f"its files do not tell its version, and a Python that nobody named is not started; look at it:  {look}"
    return None, (Gap(fact="python environment", reason=reason, source=python),)


def _active(machine: Machine, own: str) -> tuple[Interpreter | None, tuple[Gap, ...]]:
    """Return the interpreter of the active environment, from its files; otherwise None and a gap that names it."""
    active = active_python(machine, own)
    told = read_from_files(machine, active[0]) if active is not None else None
    if active is not None and told is not None:
        version, paths = told
        return Interpreter(executable=active[1], version=version, paths=paths, prefix=active[0]), ()
    named = command_line("accel doctor --python", path_word(active[1])) if active is not None else None
    look = named or "accel doctor --python FOLDER"
    reason = f"accel has its own environment, which says nothing about your programs; inspect theirs:  {look}"
    return None, (Gap(fact="python environment", reason=reason, source=own),)


def _program(machine: Machine, given: str) -> str:
    """Return the interpreter for the given value: a venv's or conda's folder, a uv project's, a program, or its name.

    Anything else is returned unchanged: running it reports what is wrong.
    """
    if given.startswith("~/"):
        given = f"{machine.environment.get('HOME', '~')}{given[1:]}"
    inside = ("Scripts/python.exe", "python.exe") if machine.system == "windows" else ("bin/python", "bin/python3")
    folder = given.rstrip("/\\") or given
    places = (f"{folder}{part}/{file}" for part in ("", "/.venv", "/venv") for file in inside)
    return next((place for place in places if machine.exists(place)), given)
