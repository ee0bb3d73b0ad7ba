"""A remedy's actions as they are typed on the target machine: its shell, installer, distribution. Pure.

pip install X                 uv pip install X, python3.10 -m pip install X: as the text calls its installer
python -c 'import torch; …'   python -c 'import jax; …', if the text is about JAX
export A=1                    set "A=1" or $env:A = '1' on Windows
pip install 'numpy<2'         conda install 'numpy<2', if conda alone installed it; under pixi: pixi add --pypi …
pip install … flash-attn      FLASH_ATTENTION_FORCE_BUILD=TRUE pip install …, if it has to be compiled here
pip install X                 %pip install X in a notebook, RUN pip install X for an image
sudo apt install gcc          sudo dnf install gcc, depending on the distribution; without sudo in a container
cmake -B build-new            cmake -B build-new -DGGML_CUDA=ON, as the text configured its build
docker run --shm-size 8g IMAGE     podman run …, or entries for a compose file or a pod
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.facts.containers import in_container
from accel.model.dataclass import replace
from accel.model.diagnosis import Remedy
from accel.model.observation import Command
from accel.remedies.actions import Action, action_of, actions_of, names_of
from accel.remedies.containers import as_started_here
from accel.remedies.declared import as_declared
from accel.remedies.environment import Environment, environment_of
from accel.remedies.framework_test import by_its_framework
from accel.remedies.projects import as_of_project
from accel.resolver.installer import manager_of
from accel.resolver.system_tools import by_hand, of_one_system, of_this_system, plain_words, shells_table
from accel.text.pattern import pattern
from accel.text.shells import Step, Token, for_shell, is_printable, without_variables, written
from accel.vendors.contract.command import assignment_word, option_word, parts_of

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.remedies.pixi import PixiStep
    from accel.specs import Specs

_VERBS: Final = frozenset(("install", "uninstall", "check", "show", "list", "download"))
_PLAIN_CODE: Final = pattern(r"'[^'\"$`\\]{1,400}'", exact_case=True)
_ELSEWHERE: Final = pattern(r"\b(?:WSL2?|container|Linux|Docker|pod)\b", exact_case=True)
_REQUIREMENT: Final = pattern(
    r"(?P<name>[A-Za-z][A-Za-z0-9_-]{0,80})(?:[<>=!]{1,2}[0-9][0-9.,<>=!*]{0,60})?", exact_case=True
)
_OF_THIS_BUILD: Final = pattern(r"ARCH|PREFIX|TOOLCHAIN")  # what a remedy names itself, or what is of one folder
_MANAGERS: Final = frozenset(("apt", "apt-get", "dnf", "yum"))
_INSIDE: Final = pattern(r"In (?:a|the) (?:container|image)\b")
_IN_BASH: Final = "Type it in bash (start one with  bash): this shell reads the command otherwise."
_OF_HOST: Final = pattern(r"\b(?:host|node|cluster)\b")


def render(remedy: "Remedy", actions: Sequence[Action], here: Environment) -> "Remedy":
    """Return the remedy with its command for this machine; without a command if there is no counterpart."""
    command = remedy.command
    if command is None:
        return remedy
    if not is_printable(command):
        return replace(remedy, command=None)
    if (declared := as_declared(remedy, actions, here)) is not None:
        return declared
    steps = tuple(action.step for action in actions)
    if all(step.words for step in steps):
        remedy, known = _steps_here(remedy, actions, here)
        if not known:
            return replace(remedy, command=None)
        if known != steps:
            command = written(known)
        if here.offline:
            from accel.remedies.offline import as_fetched_elsewhere  # few machines are

            remedy = as_fetched_elsewhere(replace(remedy, command=command))
            command = remedy.command or ""
        elif here.notebook:
            from accel.remedies.notebook import OF_SHELL, in_a_cell, told_with

            host = here.provider or {}
            if (cell := in_a_cell(known, bool(host.get("root")))) is not None:
                return replace(remedy, text=f"{remedy.text} {told_with(cell, host.get('restart'))}", command=cell)
            if "export LD_LIBRARY_PATH=" in command:
                return replace(remedy, text=f"{remedy.text} {OF_SHELL}", command=command)
        if not here.offline:
            remedy, command = _for_image(remedy, known, command, here)
        remedy = _in_its_folder(remedy, command, here)
    by_own = "\\" in here.pip.words and f"{here.pip.words} " in command  # a path that only Windows has
    if (here.on_windows or by_own) and not _ELSEWHERE.search(remedy.text):
        shell = here.shell if here.on_windows else "cmd"
        command = for_shell(command, shell, shells_table(here.specs).get("windows_tools", ())) or ""
    elif here.shell != "bash" and not here.on_windows and not _INSIDE.match(remedy.text):
        typed = for_shell(command, here.shell)
        remedy = remedy if typed is not None else replace(remedy, text=f"{remedy.text} {_IN_BASH}")
        command = typed or command
    return remedy if command == remedy.command else replace(remedy, command=command or None)


def _is_inside(remedy: "Remedy", steps: Sequence[Step], here: Environment) -> bool:
    """Return whether steps install inside a container as its root: its image mostly has no sudo."""
    table = shells_table(here.specs)
    called = {step.words[1].raw for step in steps if step.words[0].raw == "sudo" and len(step.words) > 1}
    words = {token.raw.strip("'\"") for step in steps for token in step.words}
    own = _INSIDE.match(remedy.text) or (in_container(here.facts) and not _OF_HOST.search(remedy.text))
    if (
        not own
        or not called <= set(table["installers"])
        or any(w.startswith(tuple(table["host_packages"])) for w in words)
    ):
        return False
    typed = (one.text for one in here.facts.snapshot.observations if isinstance(one, Command) and not one.advice)
    return not any(line.lstrip("$ ").startswith("sudo ") for line in typed)


def _of_its_root(steps: Sequence[Step]) -> list[Step]:
    """Return steps without sudo, and with wget where they download something."""
    bare = [replace(step, words=step.words[step.words[0].raw == "sudo" :]) for step in steps]
    if bare and bare[0].words[0].raw == "wget":
        bare = [Step("", plain_words("apt-get", "install", "-y", "wget")), replace(bare[0], by="&&"), *bare[1:]]
    return bare


def rendered(remedy: "Remedy", here: Environment) -> "Remedy":
    """Return a remedy with its command for this machine."""
    return render(remedy, actions_of(remedy.command, here.specs), here)


def looked_at_here(command: str, facts: "Facts", specs: "Specs", powershell: bool | None = None) -> str | None:
    """Return an inspection command for this machine: of parts joined by ";", those that it has."""
    here = environment_of(facts, specs, powershell)
    typed = (rendered(Remedy(text="", command=part), here) for part in parts_of(command))
    return "; ".join(one.command for one in typed if one.command is not None) or None


def _steps_here(remedy: "Remedy", actions: Sequence[Action], here: Environment) -> "tuple[Remedy, tuple[Step, ...]]":
    """Return the steps for the installer, container start and system here; () if one of them has no counterpart."""
    facts, specs = here.facts, here.specs
    steps: Sequence[Step] = [action.step for action in actions]
    if here.project is not None and not here.offline:
        steps = as_of_project(steps, here.project) or steps
    known: list[Step] = []
    steps = of_one_system(steps, facts, specs)
    steps = _of_its_root(steps) if _is_inside(remedy, steps, here) else steps
    if not _MANAGERS.isdisjoint(token.raw for step in steps for token in step.words[:2]):
        # few remedies install for the whole system
        from accel.resolver.package_history import as_in_this_release, as_packaged_now

        steps, lacks = as_in_this_release(steps, facts, specs)
        renewed = [as_packaged_now(step, facts, specs) for step in steps]
        steps = [one for packaged, _ in renewed for one in packaged]
        told = " ".join(dict.fromkeys((remedy.text, *lacks, *(words for _, words in renewed if words))))
        remedy = replace(remedy, text=told)
    for step in steps:
        if (managed := _by_pixi(step, here)) is not None:
            remedy = replace(remedy, text=f"{remedy.text} {managed.words}") if managed.words else remedy
            if managed.step is None:
                return remedy, ()
            known.append(managed.step)
            continue
        step = _configured(step, facts)
        own = _compiled(_by_its_python(_by_its_installer(step, here), here), step, specs)
        started = as_started_here(by_its_framework(own, facts, specs), facts, specs)
        if started.words is not None:
            remedy = replace(remedy, text=f"{remedy.text} {started.words}")
        if started.step is None:
            continue
        typed = of_this_system(started.step, facts, specs)
        if typed is None and (way := by_hand(started.step, steps, specs)) is not None:
            remedy = replace(remedy, text=f"{remedy.text} {way}")
            continue
        if typed is None:
            return remedy, ()
        if _lacks_lists(typed, known, here):
            known.append(Step(typed.by if known else "", plain_words("apt-get", "update")))
            typed = replace(typed, by="&&")
        known.append(typed if known else replace(typed, by=""))
    return remedy, tuple(known)


def _lacks_lists(typed: Step, known: Sequence[Step], here: Environment) -> bool:
    """Return whether a step installs by apt in a container, whose image contains no package lists."""
    raw = [token.raw for token in typed.words[:2]]
    installs = raw in (["apt", "install"], ["apt-get", "install"])  # with sudo it is for the host
    return installs and not here.image and not any(token.raw == "update" for step in known for token in step.words)


def _in_its_folder(remedy: "Remedy", command: str, here: Environment) -> "Remedy":
    """Return a remedy that says where to type its command, if that calls the program's own pip."""
    if here.place is None or f"{here.pip.words} " not in f"{command} ":
        return remedy
    return replace(remedy, text=f"{remedy.text} Type it {here.place}.")


def _for_image(remedy: "Remedy", steps: tuple[Step, ...], command: str, here: Environment) -> "tuple[Remedy, str]":
    """Return a remedy and its command, as a line of a Dockerfile if it is for an image."""
    if not here.image or _OF_HOST.search(remedy.text):
        return remedy, command
    from accel.remedies.image import WORDS, as_image_line

    line = as_image_line(steps)
    if line is None:
        return remedy, command
    words = WORDS.replace("this line", "these lines") if "\n" in line else WORDS
    told = remedy if "Dockerfile" in remedy.text else replace(remedy, text=f"{remedy.text} {words}")
    return told, line


def _by_its_installer(step: Step, here: Environment) -> Step:
    """Return a step of pip for the user's pip, after the variables that are only set for it."""
    bare = without_variables(step)
    variables = step.words[: len(step.words) - len(bare)]
    typed = _installer(replace(step, words=bare), here)
    return replace(typed, words=(*variables, *typed.words))


def _installer(step: Step, here: Environment) -> Step:
    """Return a step of pip for the user's pip."""
    raw = [token.raw for token in step.words]
    if len(raw) < 2 or not _is_of_pip(step):
        return step
    if raw[1] == "install" and len(raw) > 2 and all(_is_condas(token.value, here.facts) for token in step.words[2:]):
        return Step(step.by, (*plain_words("conda"), *step.words[1:]))
    called = here.pip
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
    return Step(step.by, (*called.tokens, *words))


def _by_its_python(step: Step, here: Environment) -> Step:
    """Return a step that uses the environment's own Python, if the user calls its pip by a path."""
    called = [token.raw for token in here.pip.tokens]
    if called[-2:] != ["-m", "pip"] or not ("\\" in called[0] or "/" in called[0]):
        return step
    if step.words[0].raw in ("python", "python3"):
        words = step.words[1:]
        if "\\" in called[0]:  # Windows' Python, and cmd knows no single quotation marks
            words = tuple(replace(t, raw=f'"{t.value}"') if _PLAIN_CODE.fullmatch(t.raw) else t for t in words)
        return Step(step.by, (here.pip.tokens[0], *words))
    return Step(step.by, tuple(replace(t, raw=t.raw.replace("$(python ", f"$({called[0]} ")) for t in step.words))


def _compiled(typed: Step, step: Step, specs: "Specs") -> Step:
    """Return a step that builds against installed packages, with the variables that make it compile."""
    if not {"--no-build-isolation", "--force-reinstall"} <= {token.raw for token in step.words}:
        return typed  # a first installation may take the wheel
    if any("==" in token.raw and "*" not in token.raw for token in step.words):
        return typed  # a release that was chosen for its ready builds
    names = names_of(action_of(step, specs))
    rows = (specs.table("frameworks/source_builds") or {}).get("builds", ())
    found = (assignment_word(row["variable"], row["value"]) for row in rows if row["package"] in names)
    return Step(typed.by, (*plain_words(*(word for word in found if word is not None)), *typed.words))


def _configured(step: Step, facts: "Facts") -> Step:
    """Return a step of CMake for another folder with the switches of the text's own configuration, such as the one for
    CUDA: an empty folder knows none of them. A step that has a switch itself is complete.
    """
    words = [token.raw for token in without_variables(step)]
    if words[:2] != ["cmake", "-B"] or any(word.endswith("=ON") for word in words):
        return step
    given = {word.partition("=")[0] for word in words}
    told = (one for one in facts.snapshot.observations if isinstance(one, Command) and one.tool in ("cmake", "cmake3"))
    typed = [[o for o in one.options if o.startswith("-D")] for one in told if not one.advice]
    last = next((options for options in reversed(typed) if options), ())
    apart = (o.removeprefix("-D").removeprefix("=").partition("=") for o in last)
    kept = [option_word(f"-D{name}", value) for name, _, value in apart if not _OF_THIS_BUILD.search(name)]
    switches = [one for one in kept if one is not None and one.partition("=")[0] not in given]
    return replace(step, words=(*step.words, *plain_words(*switches)))


def _by_pixi(step: Step, here: Environment) -> "PixiStep | None":
    """Return a step of pip for pixi, if that manages the environment; otherwise None."""
    if not _is_of_pip(step) or manager_of(here.facts) != "pixi":
        return None
    from accel.remedies.pixi import by_pixi

    return by_pixi(step)


def _is_of_pip(step: Step) -> bool:
    raw = [token.raw for token in step.words[:2]]
    return raw[:1] == ["pip"] and len(raw) > 1 and raw[1] in _VERBS


def _is_condas(requirement: str | None, facts: "Facts") -> bool:
    """Return whether a requirement, such as "numpy<2", is for a package that conda alone installed here."""
    found = _REQUIREMENT.fullmatch(requirement or "")
    channels = {one.channel for one in facts.packages(found["name"].lower().replace("_", "-"))} if found else set()
    return channels == {"conda"}
