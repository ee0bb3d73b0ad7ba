"""A change of a system that is declared in one file: what to write there, and what rebuilds the system. Pure.

sudo usermod -aG video $USER      on NixOS: users.users.NAME.extraGroups = [ "video" ]; and  sudo nixos-rebuild switch

What is not in the table keeps its words, and loses a command that such a system does not have.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from accel.model.dataclass import replace
from accel.resolver.system_tools import shells_table

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.diagnosis import Remedy
    from accel.specs import Specs


def as_declared(remedy: "Remedy", facts: "Facts", specs: "Specs") -> "Remedy | None":
    """Return the remedy as a declared system takes it; None on another system, or where no row is of its command."""
    told = (facts.host.distribution or "").lower()
    tables: list[Mapping[str, Any]] = shells_table(specs).get("declared", [])
    system = next((one for one in tables if one["distribution"] in told), None) if told else None
    if system is None or remedy.command is None:
        return None
    row = next((row for row in system["rows"] if row["of"] in remedy.command), None)
    if row is None:
        return None
    command = system["command"] + (" && sudo reboot" if "reboot" in remedy.command else "")
    return replace(remedy, text=f"{remedy.text} In {system['file']}:  {row['line']}", command=command)
