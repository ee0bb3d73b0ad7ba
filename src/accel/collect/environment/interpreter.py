"""Which Python interpreter, and where it looks for modules."""

import json
import re
from typing import TYPE_CHECKING, Final

from accel.collect.environment.active import active_python, is_of_a_tool, read_from_files
from accel.model.dataclass import dataclass
from accel.model.device import Gap
from accel.vendors.contract.command import command_line, path_word

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_DEADLINE_SECONDS: Final = 5.0
# -I would hide the user's site-packages and PYTHONPATH, which the program to be diagnosed sees.
_QUESTION: Final = (
    "import json, sys; print(json.dumps([sys.executable, '%d.%d.%d' % sys.version_info[:3], sys.path, sys.prefix]))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """An interpreter. paths is its sys.path; prefix the root of its environment."""

    executable: str | None
    version: str
    paths: tuple[str, ...]
    prefix: str


def interpreter_of(machine: "Machine", python: str | None) -> tuple[Interpreter | None, tuple[Gap, ...]]:
    """Return the interpreter to look at, asked in a child if it is another; None and a gap without an answer.

    python None: this one; where accel has an environment of its own, that of the active one.
    """
    if python is None:
        executable, version, paths, prefix = machine.interpreter()
        if is_of_a_tool(machine, prefix):
            return _active(machine, prefix)
        return Interpreter(executable=executable, version=version, paths=paths, prefix=prefix), ()
    given, python = python, _program(machine, python)
    done = machine.run([python, "-c", _QUESTION], _DEADLINE_SECONDS)
    if done.exit_code not in (0, None) and machine.environment.get("PYTHONHOME"):
        # It may not start because of this variable alone, which prefix.py judges: -E ignores it.
        done = machine.run([python, "-E", "-c", _QUESTION], _DEADLINE_SECONDS)
    if done.exit_code == 0:
        last = done.stdout.strip().rpartition("\n")[2]
        try:
            executable, version, paths, prefix = json.loads(last)
        except ValueError:
            pass
        else:
            return Interpreter(executable=executable, version=version, paths=tuple(paths), prefix=prefix), ()
    if done.missing:
        why = "there is no Python. Give an interpreter, or the folder of an environment:  accel doctor --python .venv"
    elif done.timed_out:
        why = f"it did not answer within {_DEADLINE_SECONDS:.0f} s"
    else:
        said = re.sub(r"\s+", " ", done.stderr.strip())[-200:]
        why = f"it did not answer as a Python does (exit code {done.exit_code}): {said or 'it said nothing'}"
    return None, (Gap(fact="python environment", reason=f"{given}: {why}", source=given),)


def _active(machine: "Machine", own: str) -> tuple[Interpreter | None, tuple[Gap, ...]]:
    """Return the interpreter of the active environment, read from files; None and a gap that names it otherwise."""
    active = active_python(machine, own)
    told = read_from_files(machine, active[0]) if active is not None else None
    if active is not None and told is not None:
        version, paths = told
        return Interpreter(executable=active[1], version=version, paths=paths, prefix=active[0]), ()
    named = command_line("accel doctor --python", path_word(active[1])) if active is not None else None
    look = named or "accel doctor --python FOLDER"
    reason = f"accel has an environment of its own, which tells nothing of your programs; look at theirs:  {look}"
    return None, (Gap(fact="python environment", reason=reason, source=own),)


def _program(machine: "Machine", given: str) -> str:
    """Return the interpreter of what was given: a venv's or conda's folder, a uv project's, a program, or its name.

    What is none of these is returned as it is: running it says what is wrong.
    """
    if given.startswith("~/"):
        given = f"{machine.environment.get('HOME', '~')}{given[1:]}"
    inside = ("Scripts/python.exe", "python.exe") if machine.system == "windows" else ("bin/python", "bin/python3")
    folder = given.rstrip("/\\") or given
    places = (f"{folder}{part}/{file}" for part in ("", "/.venv", "/venv") for file in inside)
    return next((place for place in places if machine.exists(place)), given)
