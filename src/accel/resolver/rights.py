"""A step that root does, given to whoever is root where the reader is not. Pure.

sudo usermod -aG render,video $USER      on a cluster: no command of the reader's, but a request to its administrators

What the reader can do alone comes before it.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from accel.resolver.order import waits
from accel.resolver.surroundings import IN_JOB, may_be_root
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.diagnosis import Remedy
    from accel.specs import Specs

_SUDO: Final = pattern(r"(?:^|[\s;&|(])sudo\s", exact_case=True)
_OWN: Final = ("app", "env")


def as_rights_allow(remedies: Sequence["Remedy"], facts: "Facts", specs: "Specs") -> "tuple[Remedy, ...]":
    """Return the remedies with those of root's given to the administrators, behind what the reader can do."""
    if may_be_root(facts) is not False:
        return tuple(remedies)
    whose = "this cluster" if facts.states(IN_JOB) else "this machine"
    given = [_asked(one, whose) for one in remedies]
    if not given or given[0].action in _OWN:
        return tuple(given)
    own = [one for one in given if one.action in _OWN and one.kind != "look" and not waits(one, specs)]
    return (*own, *(one for one in given if one not in own))


def _asked(remedy: "Remedy", whose: str) -> "Remedy":
    if remedy.command is None or not _SUDO.search(remedy.command):
        return remedy
    action = remedy.action if remedy.action not in _OWN else "admin"
    command = remedy.command.replace("$USER", "USER")
    text = f"{remedy.text} The administrators of {whose} do it, by:  {command}"
    return replace(remedy, text=text, command=None, action=action, kind="ask")
