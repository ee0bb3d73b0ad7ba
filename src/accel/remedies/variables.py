"""Variables set or unset where they take effect: not every program is started from the shell that the text shows. Pure.

A desktop application, which inherits no exported variable (the class "desktop-application" of the fact
environment-class):

    A=1 python3 PROGRAM.py     macOS    launchctl setenv A 1
                               Windows  setx A 1
                               Linux    systemctl --user set-environment A=1

A service of systemd, and a program that is installed as one (specs/frameworks/programs.yaml, service):

    export A=1                 a drop-in of the unit with Environment=A=1, and a restart

A container whose program is started with it: docker run -e A=1 IMAGE, or what a compose file or a pod is given.

A variable that is set elsewhere than in the shell (the fact variable-set-at), where `unset` and `export` change
nothing: in front of the command, by an option of the container, in a compose file, a unit, a program.
specs/language/remedies.yaml has what is done there, under set_at.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.facts.infer import observations_of
from accel.model.dataclass import replace
from accel.model.diagnosis import Remedy
from accel.model.observation import Command
from accel.remedies.actions import Action, Run, SetVariable, actions_of
from accel.remedies.containers import starts_program
from accel.remedies.services import restart_of, unit_of
from accel.resolver.programs import program_of
from accel.text.pattern import pattern
from accel.vendors.contract.command import assignment_word, chained, command_line, filled, path_word, unit_line_word

if TYPE_CHECKING:
    from accel.remedies.environment import Environment

DESKTOP: Final = "desktop-application"
SET_AT: Final = "variable-set-at"
_TOLD: Final = (
    "The application is not started from a shell, so exported variables do not reach it: set the variable for "
    "the whole session, then quit the application and open it again. Or start it from a terminal."
)
_FOR_UNIT: Final = "The program runs as a service, which exported variables do not reach: set it in its unit."
_FOR_START: Final = "The container's program gets the variable when the container is started."
_SETS: Final = {"macos": "launchctl setenv", "windows": "setx", "linux": "systemctl --user set-environment"}
_PLAIN: Final = pattern(r"[A-Za-z0-9_.,:/+-]{1,120}", exact_case=True)  # between quotation marks of a unit and a shell


def where_it_counts(
    remedy: Remedy, actions: tuple[Action, ...], here: "Environment"
) -> tuple[Remedy, tuple[Action, ...]]:
    """Return a remedy that sets or unsets variables as one that reaches the program; any other unchanged."""
    for way in (_for_session, _unset_where_set, _set_where_it_runs):
        if (found := way(remedy, actions, here)) is not None:
            return found
    return remedy, actions


def _unset_where_set(
    remedy: Remedy, actions: Sequence[Action], here: "Environment"
) -> tuple[Remedy, tuple[Action, ...]] | None:
    """Return a remedy that unsets a variable as one that removes it where the text sets it; None if `unset` does."""
    if here.facts.live or not actions or not isinstance(actions[0], SetVariable):
        return None
    unset = [name for _, name, value in sorted(actions[0].effects()) if value == ""]
    rows = _rows_of_places(here)
    places = {name: rows.get(how) for name, how in _places(here).items()}
    name = next((name for name in unset if places.get(name) is not None), None)
    if name is None or (row := places[name]) is None:
        return None
    command = filled(row["command"], lambda _: name) if "command" in row else None
    text = f"{remedy.text} {row['text'].replace('NAME', name)}"
    return replace(remedy, text=text, command=command), actions_of(command, here.specs)


def _set_where_it_runs(
    remedy: Remedy, actions: Sequence[Action], here: "Environment"
) -> tuple[Remedy, tuple[Action, ...]] | None:
    """Return a remedy that only sets variables as one that does so where the program gets them; None: in the shell."""
    pairs = [pair for one in actions for pair in one.command.variables]
    if here.facts.live or not pairs or not _only_sets(actions, here):
        return None
    how = next((place for name, _ in pairs if (place := _places(here).get(name)) is not None), None)
    if how == "prefix" and _is_typed(pairs, here):
        how = None  # the command that has it has it right; another one lacks it
    if how in ("compose", "container", "image", "pod") or (how is None and starts_program(here.facts, here.specs)):
        return _at_start(remedy, pairs, here)
    unit = unit_of(here) if how in (None, "unit") else None
    if unit is not None or how == "unit":
        command = _drop_in(unit or "UNIT", pairs)
        told = remedy if command is None else replace(remedy, text=f"{remedy.text} {_FOR_UNIT}", command=command)
        return told, actions_of(told.command, here.specs)
    if how == "prefix":
        words = [assignment_word(name, value) for name, value in pairs]
        command = command_line(*words, *_prefixed(pairs[0][0], here))
        if command is None:
            return None  # a value that only a shell makes
        return replace(remedy, command=command), actions_of(command, here.specs)
    row = _rows_of_places(here).get(how)
    if row is None or "set" not in row:
        return None
    return replace(remedy, text=f"{remedy.text} {row['set'].replace('NAME', pairs[0][0])}"), tuple(actions)


def _only_sets(actions: Sequence[Action], here: "Environment") -> bool:
    """Return whether actions only set variables, or also start the text's own server with them."""
    row = program_of(here.facts, here.specs) or {}
    served = tuple(row.get("service", {}).get("starts", ()))
    return all(
        isinstance(one, SetVariable) or (isinstance(one, Run) and one.command.tool in served) for one in actions
    ) and all(value for one in actions for _, value in one.command.variables)


def _at_start(
    remedy: Remedy, pairs: Sequence[tuple[str, str]], here: "Environment"
) -> tuple[Remedy, tuple[Action, ...]]:
    """Return a remedy that sets variables as one that starts a container with them."""
    words = [word for name, value in pairs for word in ("-e", assignment_word(name, value))]
    command = command_line("docker run", *words, "IMAGE")
    if command is None:
        return remedy, actions_of(remedy.command, here.specs)
    return replace(remedy, text=f"{remedy.text} {_FOR_START}", command=command), actions_of(command, here.specs)


def _drop_in(unit: str, pairs: Sequence[tuple[str, str]]) -> str | None:
    """Return the command that sets the variables in a unit and restarts it."""
    if not all(_PLAIN.fullmatch(value) for _, value in pairs):
        return None
    folder = f"/etc/systemd/system/{unit}.service.d"
    file = path_word(f"{folder}/accel.conf")
    words = [unit_line_word(name, value) for name, value in pairs]
    return chained(
        command_line("sudo mkdir -p", path_word(folder)),
        command_line("echo '[Service]' | sudo tee", file),
        *(command_line("echo", word, "| sudo tee -a", file) for word in words),
        "sudo systemctl daemon-reload",
        restart_of(unit),
    )


def _prefixed(name: str, here: "Environment") -> Sequence[str]:
    """Return the words of the command that follows a variable in the text; a placeholder if they are not plain."""
    for one in observations_of(here.facts.snapshot):
        if isinstance(one, Command) and any(known == name for known, _ in one.variables):
            words = [path_word(word) for word in (one.tool, *one.verb.split(), *one.operands)]
            if all(word is not None for word in words) and not one.options:
                return [word for word in words if word is not None]
    return ("PROGRAM",)


def _is_typed(pairs: Sequence[tuple[str, str]], here: "Environment") -> bool:
    """Return whether the text shows the variables with these exact values."""
    words = [f"{name}={value}" for name, value in pairs]
    return any(all(word in fact.text for word in words) for fact in here.facts.stated(SET_AT))


def _places(here: "Environment") -> Mapping[str, str]:
    """Return where the text sets each variable."""
    told = here.facts.stated(SET_AT)
    return {name: how for fact in told if (name := fact.value("name")) and (how := fact.value("how"))}


def _rows_of_places(here: "Environment") -> Mapping[str | None, Any]:
    rows: Mapping[str | None, Any] = (here.specs.table("language/remedies") or {}).get("set_at", {})
    return rows


def _for_session(
    remedy: Remedy, actions: Sequence[Action], here: "Environment"
) -> tuple[Remedy, tuple[Action, ...]] | None:
    """Return a remedy that only sets variables as one for the whole session; None if it does something else."""
    pairs = [pair for one in actions for pair in one.command.variables]
    sets_only = all({effect[0] for effect in one.effects()} == {"variable"} for one in actions)
    how = _SETS.get(here.facts.host.system or "")
    if DESKTOP not in here.classes or not pairs or not sets_only or how is None:
        return None
    command = chained(*(_line(how, name, value, on_linux=here.facts.host.system == "linux") for name, value in pairs))
    if command is None:
        return None
    return replace(remedy, text=f"{remedy.text} {_TOLD}", command=command), actions_of(command, here.specs)


def _line(how: str, name: str, value: str, *, on_linux: bool) -> str | None:
    word = assignment_word(name, value)
    return command_line(how, word) if word is None or on_linux else f"{how} {word.replace('=', ' ', 1)}"
