"""Whether a remedy is of the kind that it states: its words and its command against `kind`. Pure.

    kind_mistake(Remedy(text="See which is full.", command="df -h"), specs)     "only shows something, and says mend"

The words are in specs/language/remedies.yaml. They judge what was written, in a test and in the kit; what the doctor
does with a remedy follows from what it states.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from accel.model.diagnosis import Remedy
    from accel.specs import Specs

_CLAUSE: Final = re.compile(r"[.;:,!] |\band |\bor |\bthen ")
_CHANGES: Final = re.compile(
    r"(?:^|&& |; |sudo )(?:\S{0,60}pip3? (?:install|uninstall)|(?:apt|apt-get|dnf|yum|zypper|pacman|brew|conda)"
    r" (?:-y )?(?:install|remove|purge)|modprobe (?!-n)|rmmod|insmod|reboot|shutdown|kill|usermod"
    r"|systemctl (?:start|restart|enable)|setpci -s \S+ \S+=|nvidia-smi (?:--gpu-reset|-r\b|-pm))"
)


def kind_mistake(remedy: "Remedy", specs: "Specs") -> str | None:
    """Return why a remedy is not of its kind; None if it is."""
    table: Mapping[str, Any] = specs.table("language/remedies") or {}
    shows = _only_shows(remedy.text, table)
    if shows and remedy.kind == "mend":
        return "only shows something, and says mend"
    if remedy.kind == "look" and (not shows or _CHANGES.search(remedy.command or "")):
        return "changes something, and says look"
    if remedy.action == "service" and remedy.kind == "mend":
        return "is for the service, and says mend"
    return None


def _only_shows(text: str, table: Mapping[str, Any]) -> bool:
    """Whether a step shows something and changes nothing: it begins so, and no clause of it bids a change."""
    said = text.lower()
    for word in table.get("binds", ()):
        said = said.removeprefix(word)
    if not said.startswith(tuple(table.get("looks", ()))):
        return False
    acts = frozenset(table.get("acts", ()))
    ends = [0, *(hit.end() for hit in _CLAUSE.finditer(said))]
    clauses = (said[start:].lstrip().rstrip(".") for start in ends[1:])
    return not any(clause.split(" ", 1)[0] in acts for clause in clauses)
