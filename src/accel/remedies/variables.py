"""Variables set or unset where they take effect: not every program is started from the shell that the text shows. Pure.

A desktop application, which inherits no exported variable (the class "desktop-application" of the fact
environment-class):

    A=1 python3 PROGRAM.py     macOS    launchctl setenv A 1
                               Windows  setx A 1
                               Linux    systemctl --user set-environment A=1

A variable that is set elsewhere than in the shell (the fact variable-set-at), where `unset` changes nothing: in front
of the command, by an option of the container, in a compose file, a unit, a program. specs/language/remedies.yaml has
what is done there, under set_at.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import replace
from accel.model.diagnosis import Remedy
from accel.remedies.actions import Action, SetVariable, actions_of
from accel.vendors.contract.command import assignment_word, chained, command_line, filled

if TYPE_CHECKING:
    from accel.remedies.environment import Environment

DESKTOP: Final = "desktop-application"
SET_AT: Final = "variable-set-at"
_TOLD: Final = (
    "The application is not started from a shell, so that no exported variable reaches it: set the variable for the "
    "whole session, then quit the application and open it again. Or start it from a terminal."
)
_SETS: Final = {"macos": "launchctl setenv", "windows": "setx", "linux": "systemctl --user set-environment"}


def where_it_counts(
    remedy: Remedy, actions: tuple[Action, ...], here: "Environment"
) -> tuple[Remedy, tuple[Action, ...]]:
    """Return a remedy that sets or unsets variables as one that reaches the program; any other as it is."""
    return _for_session(remedy, actions, here) or _unset_where_set(remedy, actions, here) or (remedy, actions)


def _unset_where_set(
    remedy: Remedy, actions: Sequence[Action], here: "Environment"
) -> tuple[Remedy, tuple[Action, ...]] | None:
    """Return a remedy that unsets a variable as one that unsets it where the text sets it; None where unset does."""
    if here.facts.live or not actions or not isinstance(actions[0], SetVariable):
        return None
    unset = [name for _, name, value in sorted(actions[0].effects()) if value == ""]
    rows: Mapping[str | None, Any] = (here.specs.table("language/remedies") or {}).get("set_at", {})
    places = {fact.value("name"): rows.get(fact.value("how")) for fact in here.facts.stated(SET_AT)}
    name = next((name for name in unset if places.get(name) is not None), None)
    if name is None or (row := places[name]) is None:
        return None
    command = filled(row["command"], lambda _: name) if "command" in row else None
    text = f"{remedy.text} {row['text'].replace('NAME', name)}"
    return replace(remedy, text=text, command=command), actions_of(command, here.specs)


def _for_session(
    remedy: Remedy, actions: Sequence[Action], here: "Environment"
) -> tuple[Remedy, tuple[Action, ...]] | None:
    """Return a remedy that only sets variables as one for the whole session; None where it does something else."""
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
