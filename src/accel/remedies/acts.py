"""The command for an act that a remedy only names in words: restart, reset, end what uses the device. Pure.

"Drain the machine and reboot it."              sudo reboot; on a Kubernetes node drained first
"End the programs on this GPU and reset it."    sudo nvidia-smi --gpu-reset -i 3
"Find the process … and end it."                sudo lsof /dev/accel*; sudo kill PID

A remedy whose command already changes something is left as it is. specs/language/acts.yaml says which words name which
act.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.facts.containers import is_kubernetes
from accel.model.dataclass import replace
from accel.model.diagnosis import Remedy
from accel.remedies.actions import Inspect, actions_of
from accel.remedies.render import looked_at_here
from accel.text.pattern import pattern
from accel.vendors.contract.command import (
    chained,
    command_line,
    number_word,
    parts_of,
)

if TYPE_CHECKING:
    from accel.remedies.environment import Environment
    from accel.vendors.contract.check import Check

_CLAUSE: Final = pattern(r"[.;:,!] |, |\band |\bor |\bthen ")
_DRAINED: Final = "kubectl drain NODE --ignore-daemonsets --delete-emptydir-data && ssh NODE"
_PROCESS: Final = pattern(r"ps -fp (?P<pid>[0-9]{1,10})", exact_case=True)


def with_act(remedy: Remedy, check: "Check", here: "Environment") -> Remedy:
    """Return a remedy that changes something with a command for it, if its words name one of the known acts."""
    if remedy.kind != "mend" or not _only_shows(remedy, here):
        return remedy
    row = _named(remedy, here)
    if row is None:
        return remedy
    if row.get("holder"):
        return _ended(remedy, row, here)
    if remedy.command is not None and remedy.text.lower().startswith(_looks(here)):
        return remedy  # its output decides
    command = _of_maker(row, remedy, check, here) if "maker" in row else row[_system(here)]
    afar = row.get("afar")
    if afar is not None and here.facts.stated(afar["fact"]):
        return replace(remedy, text=f"{remedy.text} {afar['note']}", command=afar["command"])
    if command is None:
        return remedy
    if row.get("drains") and is_kubernetes(here.facts) and not here.facts.live:
        command = command_line(_DRAINED, command)
    text = f"{remedy.text} {row['note']}" if "note" in row else remedy.text
    return replace(remedy, text=text, command=command)


def _looks(here: "Environment") -> tuple[str, ...]:
    return tuple((here.specs.table("language/remedies") or {}).get("looks", ()))


def _only_shows(remedy: Remedy, here: "Environment") -> bool:
    """Return whether a remedy has no command, or only one that changes nothing."""
    return all(isinstance(one, Inspect) for one in actions_of(remedy.command, here.specs))


def _named(remedy: Remedy, here: "Environment") -> Mapping[str, Any] | None:
    """Return the row of the first act that a remedy's words name; None if they name none."""
    rows = (here.specs.table("language/acts") or {}).get("acts", ())
    fitting = [row for row in rows if remedy.action in row["reach"]]
    said = remedy.text.lower()
    starts = [0, *(hit.end() for hit in _CLAUSE.finditer(said))]
    clauses = (said[start:].lstrip() for start in starts)
    return next((row for one in clauses for row in fitting if one.startswith(tuple(row["says"]))), None)


def _ended(remedy: Remedy, row: Mapping[str, Any], here: "Environment") -> Remedy:
    """Return a remedy that ends what uses a device: the process that it names, or the one that its command shows."""
    shown = remedy.command
    if shown is None:
        return remedy
    ending = row[_system(here)]
    known = _PROCESS.fullmatch(shown)
    if known is not None:
        text = f"{remedy.text} This shows it:  {shown}"
        return replace(remedy, text=text, command=command_line(ending.removesuffix(" PID"), number_word(known["pid"])))
    looks = [part for part in parts_of(shown) if looked_at_here(part, here.facts, here.specs, here.powershell)]
    return replace(remedy, command=chained(*looks, ending, by=";"))


def _of_maker(row: Mapping[str, Any], remedy: Remedy, check: "Check", here: "Environment") -> str | None:
    """Return the command of the vendor's tool for the device, with a blank for its number or address."""
    own = next((one for one in row["maker"] if check.code.startswith(one["codes"])), None)
    return None if own is None or _system(here) == "windows" or "together" in remedy.text else own["one"]


def _system(here: "Environment") -> str:
    return "windows" if here.on_windows else "posix"
