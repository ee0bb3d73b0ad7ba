"""A remedy as it is typed on the machine that it is for: its shell, its installer, its distribution. Pure.

pip install X                 uv pip install X, python3.10 -m pip install X: as the text calls its installer
python -c 'import torch; …'   python -c 'import jax; …', where the text is about JAX
export A=1                    set "A=1" or $env:A = '1' on Windows
pip install 'numpy<2'         conda install 'numpy<2', where conda alone installed it; under pixi: pixi add --pypi …
pip install X                 %pip install X in a notebook, RUN pip install X for an image
sudo apt install gcc          sudo dnf install gcc, as the distribution has it; without sudo in a container
docker run --shm-size 8g IMAGE     podman run …, or what a compose file or a pod is given
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from accel.model.diagnosis import Remedy
from accel.model.observation import Command
from accel.resolver.container_start import as_started_here
from accel.resolver.declared import as_declared
from accel.resolver.framework_test import by_its_framework
from accel.resolver.image import WORDS, as_image_line
from accel.resolver.installer import manager_of, pip_of
from accel.resolver.notebook import RESTART, in_a_cell
from accel.resolver.offline import as_fetched_elsewhere, is_cut_off
from accel.resolver.pixi import PixiStep, by_pixi
from accel.resolver.projects import as_of_project, project_of
from accel.resolver.surroundings import in_image, in_notebook
from accel.resolver.system_tools import of_this_system, plain_words, shells_table
from accel.text.pattern import pattern
from accel.text.shells import Step, Token, for_windows, is_printable, steps_of, written

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_VERBS: Final = frozenset(("install", "uninstall", "check", "show", "list", "download"))
_ELSEWHERE: Final = pattern(r"\b(?:WSL2?|container|Linux|Docker|pod)\b", exact_case=True)
_REQUIREMENT: Final = pattern(
    r"(?P<name>[A-Za-z][A-Za-z0-9_-]{0,80})(?:[<>=!]{1,2}[0-9][0-9.,<>=!*]{0,60})?", exact_case=True
)
_OF_HOST: Final = pattern(r"\b(?:host|node|cluster)\b")
_POWERSHELL: Final = pattern(r"\bPS [A-Z]:\\", exact_case=True)


def as_typed_here(remedy: "Remedy", facts: "Facts", specs: "Specs", powershell: bool | None = None) -> "Remedy":
    """Return the remedy with its command as this machine takes it; without one if it has no counterpart here.

    powershell  on Windows; None: as the text shows which shell its writer uses
    """
    command = remedy.command
    if command is None:
        return remedy
    if not is_printable(command):
        return replace(remedy, command=None)
    if (declared := as_declared(remedy, facts, specs)) is not None:
        return declared
    steps = steps_of(command)
    if steps is not None:
        remedy, known = _steps_here(remedy, steps, facts, specs)
        if not known:
            return replace(remedy, command=None)
        if known != steps:
            command = written(known)
        if is_cut_off(facts):
            return as_fetched_elsewhere(replace(remedy, command=command), facts)
        if (cell := in_a_cell(known) if in_notebook(facts) else None) is not None:
            return replace(remedy, text=f"{remedy.text} {RESTART}", command=cell)
        remedy, command = _for_image(remedy, known, command, facts, specs)
    if facts.host.system == "windows" and not facts.host.wsl and not _ELSEWHERE.search(remedy.text):
        tools = shells_table(specs).get("windows_tools", ())
        command = (
            for_windows(command, powershell=_is_powershell(facts) if powershell is None else powershell, tools=tools)
            or ""
        )
    return remedy if command == remedy.command else replace(remedy, command=command or None)


def _steps_here(
    remedy: "Remedy", steps: tuple[Step, ...], facts: "Facts", specs: "Specs"
) -> "tuple[Remedy, tuple[Step, ...]]":
    """Return the steps by the installer, the container's start and the system that are here; () where one has none."""
    if (project := project_of(facts)) is not None and not is_cut_off(facts):
        steps = as_of_project(steps, project) or steps
    known: list[Step] = []
    for step in steps:
        if (managed := _by_pixi(step, facts)) is not None:
            remedy = replace(remedy, text=f"{remedy.text} {managed.words}") if managed.words else remedy
            if managed.step is None:
                return remedy, ()
            known.append(managed.step)
            continue
        started = as_started_here(by_its_framework(_installer(step, facts), facts, specs), facts, specs)
        if started.words is not None:
            remedy = replace(remedy, text=f"{remedy.text} {started.words}")
        if started.step is None:
            continue
        here = of_this_system(started.step, remedy.text, facts, specs)
        if here is None:
            return remedy, ()
        if not (known and here.by == "||" and here.words == known[-1].words):  # apt … || dnf …, on Fedora
            known.append(here if known else replace(here, by=""))
    return remedy, tuple(known)


def _for_image(
    remedy: "Remedy", steps: tuple[Step, ...], command: str, facts: "Facts", specs: "Specs"
) -> "tuple[Remedy, str]":
    """Return a remedy and its command, where an image's Dockerfile takes it as a line of its own."""
    line = as_image_line(steps) if in_image(facts, specs) and not _OF_HOST.search(remedy.text) else None
    if line is None:
        return remedy, command
    told = remedy if "Dockerfile" in remedy.text else replace(remedy, text=f"{remedy.text} {WORDS}")
    return told, line


def looked_at_here(command: str, facts: "Facts", specs: "Specs", powershell: bool | None = None) -> str | None:
    """Return a command that only shows something as this machine takes it: of parts joined by ";" those that it has."""
    typed = (as_typed_here(Remedy(text="", command=part), facts, specs, powershell) for part in command.split("; "))
    return "; ".join(one.command for one in typed if one.command is not None) or None


def _is_powershell(facts: "Facts") -> bool:
    return any(_POWERSHELL.search(o.text) for o in facts.snapshot.observations if isinstance(o, Command))


def _installer(step: Step, facts: "Facts") -> Step:
    """Return a step of pip by the user's pip."""
    raw = [token.raw for token in step.words]
    if len(raw) < 2 or raw[0] != "pip" or raw[1] not in _VERBS:
        return step
    if raw[1] == "install" and len(raw) > 2 and all(_is_condas(token.value, facts) for token in step.words[2:]):
        return Step(step.by, (*plain_words("conda"), *step.words[1:]))
    called = pip_of(facts)
    if called.words == "pip" and not called.for_user:
        return step
    words = list(step.words[1:])
    if called.words.startswith("uv "):
        words = [t for t in words if t.raw != "-y"]
        words = [Token("--no-cache", "--no-cache") if t.raw == "--no-cache-dir" else t for t in words]
        if "--extra-index-url" in raw:
            words += plain_words("--index-strategy", "unsafe-best-match")
    if called.for_user and raw[1] == "install":
        words[1:1] = plain_words("--user")
    return Step(step.by, (*plain_words(*called.words.split()), *words))


def _by_pixi(step: Step, facts: "Facts") -> "PixiStep | None":
    """Return a step of pip by pixi, where that makes the environment; None where it does not."""
    raw = [token.raw for token in step.words[:2]]
    if len(raw) < 2 or raw[0] != "pip" or raw[1] not in _VERBS or manager_of(facts) != "pixi":
        return None
    return by_pixi(step)


def _is_condas(requirement: str | None, facts: "Facts") -> bool:
    """Whether a word of an installation is a package's, "numpy<2", that conda alone installed here."""
    found = _REQUIREMENT.fullmatch(requirement or "")
    channels = {one.channel for one in facts.packages(found["name"].lower().replace("_", "-"))} if found else set()
    return channels == {"conda"}
