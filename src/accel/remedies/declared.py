"""Changes to a system that is declared in one file: what to write there, and what rebuilds the system. Pure.

sudo usermod -aG video $USER      on NixOS: users.users.NAME.extraGroups = [ "video" ]; and  sudo nixos-rebuild switch

What is not in the table keeps its words, and a command that such a system does not have becomes a sentence.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import replace
from accel.remedies.actions import Action, ChangePackages, Inspect, SetVariable, StartWith
from accel.resolver.system_tools import shells_table
from accel.vendors.contract.command import chained

if TYPE_CHECKING:
    from accel.model.diagnosis import Remedy
    from accel.remedies.environment import Environment

_OWN: Final = (ChangePackages, Inspect, SetVariable, StartWith)  # what a user does there as anywhere


def as_declared(remedy: "Remedy", actions: Sequence[Action], here: "Environment") -> "Remedy | None":
    """Return the remedy for a declared system; None on other systems, or if the command works there, too."""
    told = (here.facts.host.distribution or "").lower()
    tables: list[Mapping[str, Any]] = shells_table(here.specs).get("declared", [])
    system = next((one for one in tables if one["distribution"] in told), None) if told else None
    if system is None or remedy.command is None or all(isinstance(one, _OWN) for one in actions):
        return None
    if any(effect[:2] == ("module", "unload") for one in actions for effect in one.effects()):
        return None  # at once, and until the next boot: no file declares that
    if remedy.command.startswith(system["command"].rpartition(" ")[0]):
        return None
    said = f"{remedy.text} {remedy.command}"
    fitting = (one for one in system["rows"] if one["of"] in said)
    row = next((one for one in fitting if one.get("class") is None or one["class"] in here.classes), None)
    if row is not None:
        after = row.get("then") or ("sudo reboot" if "reboot" in remedy.command else None)
        command = chained(system["command"], *([after] if after else []))
        return replace(remedy, text=f"{remedy.text} In {system['file']}:  {row['line']}", command=command)
    if here.image or not any(word in remedy.command for word in system["refused"]):
        return None
    return replace(remedy, text=f"{remedy.text} {system['otherwise']}", command=None)
