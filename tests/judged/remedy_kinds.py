"""Whether a remedy is of the kind that it states: its words and its command against `kind`. Pure.

    kind_mistake(Remedy(text="See which is full.", command="df -h"), specs)     "only shows something, and says mend"

The words are in specs/language/remedies.yaml. They judge what was written, in a test and in the kit; what the doctor
does with a remedy follows from what it states.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.remedies.places import only_shows

if TYPE_CHECKING:
    from accel.model.diagnosis import Remedy
    from accel.specs import Specs

_CHANGES: Final = re.compile(
    r"(?:^|&& |; |sudo )(?:\S{0,60}pip3? (?:install|uninstall)|(?:apt|apt-get|dnf|yum|zypper|pacman|brew|conda)"
    r" (?:-y )?(?:install|remove|purge)|modprobe (?!-n)|rmmod|insmod|reboot|shutdown|kill|usermod"
    r"|systemctl (?:start|restart|enable)|setpci -s \S+ \S+=|nvidia-smi (?:--gpu-reset|-r\b|-pm))"
)


def kind_mistake(remedy: "Remedy", specs: "Specs") -> str | None:
    """Return why a remedy is not of its kind; None if it is."""
    table: Mapping[str, Any] = specs.table("language/remedies") or {}
    shows = only_shows(remedy.text, table)
    if shows and remedy.kind == "mend":
        return "only shows something, and says mend"
    if remedy.kind == "look" and (not shows or _CHANGES.search(remedy.command or "")):
        return "changes something, and says look"
    if remedy.action == "service" and remedy.kind == "mend":
        return "is for the service, and says mend"
    return None
