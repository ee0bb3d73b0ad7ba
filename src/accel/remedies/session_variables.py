"""Variables for a desktop application: no shell starts it, so that what a shell exports never reaches it. Pure.

A=1 python3 PROGRAM.py     macOS    launchctl setenv A 1
                           Windows  setx A 1
                           Linux    systemctl --user set-environment A=1

The class "desktop-application" of the fact environment-class tells of such a program.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.model.diagnosis import Remedy
from accel.remedies.actions import Action, actions_of
from accel.vendors.contract.command import assignment_word, chained, command_line

if TYPE_CHECKING:
    from accel.remedies.environment import Environment

DESKTOP: Final = "desktop-application"
_TOLD: Final = (
    "The application is not started from a shell, so that no exported variable reaches it: set the variable for the "
    "whole session, then quit the application and open it again. Or start it from a terminal."
)
_SETS: Final = {"macos": "launchctl setenv", "windows": "setx", "linux": "systemctl --user set-environment"}


def for_session(
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
