"""A remedy as it is typed on the machine that it is for: its shell, its installer, its distribution. Pure.

pip install X                 uv pip install X, python3.10 -m pip install X: as the text calls its installer
export A=1                    set "A=1" or $env:A = '1' on Windows
sudo apt install gcc          sudo dnf install gcc, as the distribution has it; without sudo in a container
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from accel.model.observation import Command
from accel.resolver.installer import pip_of
from accel.text.pattern import pattern
from accel.text.shells import Step, Token, for_windows, is_printable, steps_of, written

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.diagnosis import Remedy
    from accel.specs import Specs

_VERBS: Final = frozenset(("install", "uninstall", "check", "show", "list", "download"))
_ELSEWHERE: Final = pattern(r"\b(?:WSL2?|container|Linux|Docker|pod)\b", exact_case=True)
_HOST: Final = pattern(r"\bhost\b")
_POWERSHELL: Final = pattern(r"\bPS [A-Z]:\\", exact_case=True)
_VERSION: Final = pattern(r"[0-9]{1,4}(?:\.[0-9]{1,4}){0,3}", exact_case=True)


def as_typed_here(remedy: "Remedy", facts: "Facts", specs: "Specs") -> "Remedy":
    """Return the remedy with its command as this machine takes it; without one if it has no counterpart here."""
    command = remedy.command
    if command is None:
        return remedy
    if not is_printable(command):
        return replace(remedy, command=None)
    steps = steps_of(command)
    if steps is not None:
        known: list[Step] = []
        for step in steps:
            here = _packages(_installer(step, facts), remedy, facts, specs)
            if here is None:
                return replace(remedy, command=None)
            known.append(here)
        if tuple(known) != steps:
            command = written(known)
    if facts.host.system == "windows" and not facts.host.wsl and not _ELSEWHERE.search(remedy.text):
        tools = _shells(specs).get("windows_tools", ())
        command = for_windows(command, powershell=_is_powershell(facts), tools=tools) or ""
    return remedy if command == remedy.command else replace(remedy, command=command or None)


def _shells(specs: "Specs") -> Mapping[str, Any]:
    table: Mapping[str, Any] | None = specs.table("language/shells")
    return table or {}


def _is_powershell(facts: "Facts") -> bool:
    return any(_POWERSHELL.search(o.text) for o in facts.snapshot.observations if isinstance(o, Command))


def _installer(step: Step, facts: "Facts") -> Step:
    """Return a step of pip by the user's pip."""
    raw = [token.raw for token in step.words]
    if len(raw) < 2 or raw[0] != "pip" or raw[1] not in _VERBS:
        return step
    called = pip_of(facts)
    if called.words == "pip" and not called.for_user:
        return step
    words = list(step.words[1:])
    if called.words.startswith("uv "):
        words = [t for t in words if t.raw != "-y"]
        words = [_plain("--no-cache") if t.raw == "--no-cache-dir" else t for t in words]
        if "--extra-index-url" in raw:
            words += [_plain("--index-strategy"), _plain("unsafe-best-match")]
    if called.for_user and raw[1] == "install":
        words.insert(1, _plain("--user"))
    return Step(step.by, (*map(_plain, called.words.split()), *words))


def _plain(word: str) -> Token:
    return Token(word, word)


def _packages(step: Step, remedy: "Remedy", facts: "Facts", specs: "Specs") -> Step | None:
    """Return a step of apt by the distribution's package manager; None where that has no such package.

    In a container there is no sudo, unless the remedy is for the host.
    """
    raw = [token.raw for token in step.words]
    words = raw[1:] if raw[0] == "sudo" else raw
    if len(words) < 2 or words[0] not in ("apt", "apt-get") or words[1] != "install":
        return step
    table = _shells(specs)
    told = (facts.host.distribution or "").lower()
    managers = table.get("package_managers", ())
    manager = next((m for m in managers if any(name in told for name in m["distributions"])), None)
    of_host = tuple(table.get("host_packages", ()))
    kernels = any(word.strip("'\"").startswith(of_host) for word in words[2:])
    inside = bool(facts.host.containerized) and not kernels and not _HOST.search(remedy.text)
    start = [] if inside or raw[0] != "sudo" else ["sudo"]
    if manager is None or manager["name"] == "apt":
        return Step(step.by, tuple(map(_plain, start)) + step.words[1:]) if inside and raw[0] == "sudo" else step
    asked = [word for word in words[2:] if not word.startswith("-")]
    named = [_named(word.strip("'\""), manager["name"], table.get("system_packages", ())) for word in asked]
    if any(name is None for name in named):
        return None
    options = [manager["yes"]] if "-y" in words and "yes" in manager else []  # some ask nothing
    line = (*start, *manager["install"].split(), *options, *(name for name in named if name is not None))
    return Step(step.by, tuple(map(_plain, line)))


def _named(package: str, manager: str, rows: Sequence[Mapping[str, str]]) -> str | None:
    """Return what a package of Debian is called elsewhere; a version within its name is kept."""
    found = _VERSION.search(package)
    general = _VERSION.sub("{version}", package, count=1)
    row = next((row for name in (package, general) for row in rows if row["apt"] == name), {})
    return row[manager].replace("{version}", found[0] if found else "") if manager in row else None
