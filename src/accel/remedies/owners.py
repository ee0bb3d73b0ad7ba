"""Who does a step: what the reader may not do becomes a request, after what the reader can do. Pure.

sudo apt install … without root         "The administrators of this machine have to do this:  sudo apt install …"
a driver on the node of a rented pod    "… has to do this", the provider's name in front
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from accel.facts.containers import in_container
from accel.model.dataclass import replace
from accel.model.diagnosis import Action as Reach
from accel.model.diagnosis import Remedy
from accel.remedies.actions import Action, Inspect, OfHost, PlaceFile, Run, StartWith
from accel.remedies.environment import Environment
from accel.remedies.places import Planned, is_here, place_of
from accel.text.pattern import pattern

BOUND: Final = ("Then ", "Then, ", "Or ", "Or, ")
OWN: Final[tuple[Reach, ...]] = ("app", "env")
_TYPED_ON_HOSTS: Final = frozenset(("sudo", "pct", "qm", "lxc", "incus", "virsh"))  # the latter set up guests
_BEYOND_RENTER: Final[Mapping[str, tuple[Reach, ...]]] = {
    "container": ("reset", "reboot", "service"),
    "nodes": ("reset", "reboot", "service"),
    "machine": ("service",),
}
_OF_CLUSTER: Final = pattern(r"\b(?:operator|device plugin|pods?|runtimeclass|compose file|node ?pool)\b")
_OWN_DRIVER: Final = "operator-named"


def by_their_owners(steps: Sequence[Planned], here: Environment, table: Mapping[str, Any]) -> Sequence[Planned]:
    """Turn steps that only somebody else may do into requests, after what the reader can do."""
    steps = _by_provider(steps, here, table)
    if here.root is not False:
        return steps
    whose = "this cluster" if here.in_cluster else "this machine"
    given = [one.with_(_asked_of_administrators(one.remedy, whose)) for one in steps]
    if not given or given[0].remedy.action in OWN:
        return given
    own = [one for one in given if one.remedy.kind != "look" and _is_own(one, here, table)]
    return (*own, *(one for one in given if one not in own))


def _is_own(step: Planned, here: Environment, table: Mapping[str, Any]) -> bool:
    """Return whether the reader may do a step first: their own, here, and not in a container unless one is known."""
    place = place_of(step.remedy.text, table)
    elsewhere = place is not None and is_here(place, here.facts) is not True
    starts = any(isinstance(one, StartWith) for one in step.actions) and not in_container(here.facts)
    after = step.remedy.text.startswith(BOUND) or waits(step.remedy, table)
    return step.remedy.action in OWN and not (elsewhere or starts or after)


def _by_provider(steps: Sequence[Planned], here: Environment, table: Mapping[str, Any]) -> Sequence[Planned]:
    """Turn steps on the host into requests to the provider of a rented machine, after what the renter can do."""
    row = here.provider
    if row is None or not any(_is_beyond(one, row) for one in steps):
        return steps
    if row["is"] == "nodes" and here.facts.stated(_OWN_DRIVER):
        return steps  # who installs the driver on the nodes may also change them
    given = [one.with_(_asked_of_provider(one.remedy, row)) if _is_beyond(one, row) else one for one in steps]
    if given[0].remedy.kind != "ask":
        return given
    own = [one for one in given if one.remedy.kind == "mend" and _is_own(one, here, table)]
    instead = Remedy(text=row["another"], command=row.get("command"))
    if "driver" in row and given[0].remedy.action == "admin":
        instead = Remedy(text=row["driver"]["text"], command=row["driver"]["command"])
    another = Planned(instead, ())
    return (*own, another, *(one for one in given if one not in own))


def _is_beyond(step: Planned, row: Mapping[str, Any]) -> bool:
    """Return whether a renter cannot do a step."""
    if step.remedy.kind == "look":
        return False
    if step.remedy.action in _BEYOND_RENTER[row["is"]]:
        return True
    changing = [one for one in step.actions if not isinstance(one, Inspect)]
    if row["is"] == "nodes":
        return any(isinstance(one, OfHost) for one in changing) or (not changing and _is_left_to_root(step.remedy))
    of_host = not changing or any(_is_of_host(one) for one in changing)
    return row["is"] == "container" and step.remedy.action == "admin" and of_host


def _is_of_host(action: Action) -> bool:
    """Return whether an action changes more than a renter's own container."""
    words = {token.raw for token in action.step.words} if isinstance(action, PlaceFile | Run) else set()
    writes = not words.isdisjoint(_TYPED_ON_HOSTS)
    return writes or action.command.tool in _TYPED_ON_HOSTS or isinstance(action, OfHost | StartWith)


def _asked_of_provider(remedy: Remedy, row: Mapping[str, Any]) -> Remedy:
    by = f":  {remedy.command}" if remedy.command is not None and remedy.action != "service" else "."
    return replace(remedy, text=f"{remedy.text} {row['title']} has to do this{by}", command=None, kind="ask")


def _is_left_to_root(remedy: Remedy) -> bool:
    """Return whether a step without a command changes the system, not an object or file of the reader's own."""
    return remedy.kind == "mend" and remedy.action not in OWN and _OF_CLUSTER.search(remedy.text) is None


def _asked_of_administrators(remedy: Remedy, whose: str) -> Remedy:
    if remedy.command is None and _is_left_to_root(remedy):
        return replace(remedy, text=f"{remedy.text} The administrators of {whose} have to do this.", kind="ask")
    if remedy.command is None or not is_of_root(remedy.command):
        return remedy
    command = remedy.command.replace("$USER", "USER")
    text = f"{remedy.text} The administrators of {whose} have to do this:  {command}"
    action = remedy.action if remedy.action not in OWN else "admin"
    return replace(remedy, text=text, command=None, action=action, kind="ask")


def is_of_root(command: str) -> bool:
    """Return whether a command needs root as it is written: in a container, the same step needs no sudo."""
    return "sudo" in command.replace("(", " ").replace(";", " ").replace("&", " ").replace("|", " ").split()


def waits(remedy: Remedy, table: Mapping[str, Any]) -> bool:
    """Return whether a step follows another one, by its first words."""
    return remedy.text.startswith(tuple(table.get("waits", ())))
