"""Chooses the release of a package that a remedy names without one, using the resolver for this machine. Pure.

pip install onnxruntime-gpu        pip install 'onnxruntime-gpu[cuda,cudnn]==1.23.2', for driver 550 and Python 3.10
pip install onnxruntime-gpu        pip install onnxruntime-gpu==1.26.0, if CUDA 12.4 is installed and the newest is for
                                   13
pip install 'jax[cuda12]'          no command, with the reason, for Python 3.6 (see audit.py)

pip install onnxruntime-gpu        pip install onnxruntime-gpu==1.16.3, the installed one, if the machine is unknown and
                                   the remedy removed it first

When an add-on is chosen, the installed framework keeps its release. What the resolver does not know, or if neither
device nor driver is known, is left as it was written.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.model.diagnosis import Remedy
from accel.model.errors import BadInput
from accel.remedies.actions import Action, ChangePackages, action_of, actions_of, names_of
from accel.text.pattern import pattern
from accel.text.shells import Step, Token, steps_of, written
from accel.vendors.contract.command import Word, command_line, requirement_word

if TYPE_CHECKING:
    from accel.remedies.environment import Environment
    from accel.resolver.records import Resolution

_BARE: Final = pattern(r"(?P<name>[A-Za-z][A-Za-z0-9._-]{0,80})(?:\[[A-Za-z0-9,_-]{1,60}\])?", exact_case=True)
_RELEASE: Final = pattern(r"\d{1,4}(?:\.\d{1,6}){1,3}", exact_case=True)
_KEPT: Final = (
    "--upgrade",
    "-U",
    "--force-reinstall",
    "--no-cache-dir",
)  # options that a chosen release makes needless


def solved(remedy: Remedy, actions: Sequence[Action], here: "Environment") -> tuple[Remedy, tuple[Action, ...]]:
    """Return a remedy and its actions with releases for packages that are named without one."""
    at = next((at for at, one in enumerate(actions) if _is_open(one)), None)
    if at is None:
        return remedy, tuple(actions)
    found = _resolution(actions[at], here)
    if found is None or found.command is None:
        return _of_installed_releases(remedy, actions, here)
    from accel.resolver.remedy_words import label, lead

    chosen = actions_of(found.command, here.specs)
    first = replace(chosen[0], step=replace(chosen[0].step, by=actions[at].step.by))
    changed = (*actions[:at], first, *chosen[1:], *actions[at + 1 :])
    why = lead(found).why
    assumed = f" {found.assumption}" if found.assumption else ""
    text = f"{remedy.text} {label(lead(found))}: {why}.{assumed}"
    return replace(remedy, text=text, command=written([one.step for one in changed])), changed


def _of_installed_releases(
    remedy: Remedy, actions: Sequence[Action], here: "Environment"
) -> tuple[Remedy, tuple[Action, ...]]:
    """Return a remedy that installs again what it removed in the installed release, which fits the environment."""
    removed = {name for one in actions if one.command.verb in ("uninstall", "remove") for name in names_of(one)}
    found = {name: package.version or "" for name in removed if (package := here.facts.package(name)) is not None}
    kept = {name: requirement_word(name, version) for name, version in found.items() if _RELEASE.fullmatch(version)}
    changed = tuple(_with_words(one, kept, here) if kept and _is_open(one) else one for one in actions)
    return replace(remedy, command=written([one.step for one in changed])) if kept else remedy, changed


def _is_open(action: Action) -> bool:
    """Return whether an action installs packages by name only, from the usual index."""
    command = action.command
    return (
        isinstance(action, ChangePackages)
        and [token.raw for token in action.step.words[:2]] == ["pip", "install"]  # another Python's is for elsewhere
        and bool(command.operands)
        and all(option in _KEPT for option in command.options)
        and all(_BARE.fullmatch(one) and not one.isupper() for one in command.operands)
    )


def _resolution(action: Action, here: "Environment") -> "Resolution | None":
    from accel.resolver.catalogue import catalogue_of
    from accel.resolver.choose import resolve_requests
    from accel.resolver.remedies import machine_of
    from accel.resolver.request import Request
    from accel.text.versions import normalised

    catalogue = catalogue_of(here.specs)
    names = [normalised(found["name"]) for one in action.command.operands if (found := _BARE.fullmatch(one))]
    if not all(catalogue.knows(name) for name in names):
        return None
    target = machine_of(here.facts, here.specs)
    if not target.accelerators and not target.drivers:
        return None
    bases = {str(catalogue.companions[name]["base"]) for name in names if "base" in catalogue.companions.get(name, {})}
    kept = [
        Request(name=base, bound=f"=={package.version}")
        for base in sorted(bases - set(names))
        if (package := here.facts.package(base)) is not None and package.version is not None
    ]
    asked = [Request(name=name) for name in names]
    for requests in (asked + kept, asked) if kept else (asked,):
        try:
            answer = resolve_requests(here.specs, requests, target, hints=False)
        except BadInput:
            continue
        if answer.fits:
            return answer
    return None


def audited(remedy: Remedy, actions: Sequence[Action], here: "Environment") -> tuple[Remedy, tuple[Action, ...]]:
    """Return a remedy whose commands can work here: unchanged, with another release, or without a command."""
    if not _is_audited(actions):
        return remedy, tuple(actions)
    from accel.remedies.audit import objections

    if not (against := objections(actions, here)):
        return remedy, tuple(actions)
    changed = tuple(_with_release_that_passes(one, here) for one in actions)
    if changed != tuple(actions) and not objections(changed, here):
        text = f"{remedy.text} Not the newest release: {against[0]}."
        return replace(remedy, text=text, command=written([one.step for one in changed])), changed
    if (other := _for_another_python(actions, here)) is not None:
        text = f"{remedy.text} {against[0][:1].upper()}{against[0][1:]}. {other.text}"
        return replace(remedy, text=text, command=other.command), actions_of(other.command, here.specs)
    return replace(remedy, text=f"{remedy.text} No command: {'; '.join(against)}.", command=None), ()


def _for_another_python(actions: Sequence[Action], here: "Environment") -> Remedy | None:
    """Return how to get a package without a wheel for this Python with another one; None if that is not the reason."""
    from accel.remedies.audit import installs_of, machine_here, newest_that_passes, objection
    from accel.resolver.installer import in_conda, manager_of
    from accel.resolver.other_python import other_python
    from accel.text.versions import normalised

    asked = [(one, install) for install in installs_of(actions) for one in install.asked]
    if len(asked) != 1 or here.notebook or here.image or here.project is not None:
        return None
    name = asked[0][0].partition("[")[0]
    found = newest_that_passes(*asked[0], here, any_python=True) if _BARE.fullmatch(name) else None
    if found is None or objection(found, asked[0][1], here) is None:
        return None
    manager = manager_of(here.facts) or ("conda" if in_conda(here.facts) else None)
    bound = f"=={found.rpartition('==')[2]}"
    return other_python(here.specs, normalised(name), bound, machine_here(here), manager)


def _is_audited(actions: Sequence[Action]) -> bool:
    """Return whether a step may install something: few remedies do, and the package tables are large."""
    return any({"install", "add", "module"} & {token.raw for token in one.step.words} for one in actions)


def _with_release_that_passes(action: Action, here: "Environment") -> Action:
    """Return an installation by pip with releases that cannot work here replaced by the newest that can."""
    from accel.remedies.audit import installs_of, newest_that_passes, objection, of_other_index

    if [token.raw for token in action.step.words[:2]] != ["pip", "install"]:
        return action
    install = next(installs_of([action]))
    line = of_other_index(install, here) if len(install.asked) == 1 else None
    if line is None:
        wrong = [one for one in install.asked if objection(one, install, here) is not None]
        return _with_words(action, {one: newest_that_passes(one, install, here) for one in wrong}, here)
    return _typed(line, action, here)


def _with_words(action: Action, words: "Mapping[str, Word | None]", here: "Environment") -> Action:
    return _typed(command_line(*(_word_of(token, words) for token in action.step.words)), action, here)


def _typed(line: str | None, action: Action, here: "Environment") -> Action:
    steps = steps_of(line) if line is not None else None
    return action_of(Step(action.step.by, steps[0].words), here.specs) if steps else action


def _word_of(token: Token, passing: "Mapping[str, Word | None]") -> "str | Word | None":
    return passing.get(token.value or "", token.raw)
