"""Which devices of a topology share a PCIe switch. Pure."""

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final

from accel.specs.paths import PathWords
from accel.watch.topology.records import Joint, Member

if TYPE_CHECKING:
    from accel.specs import Specs

_ROOT_AND_PORT: Final = 2


def groups(members: Sequence[Member], joints: Sequence[Joint], specs: "Specs | None") -> tuple[tuple[str, ...], ...]:
    """Return the devices by switch: those below one root port, and those that a tool's matrix groups."""
    home = {member.id: member.id for member in members}

    def head(name: str) -> str:
        while home[name] != name:
            name = home[name]
        return name

    placed = {member.id for member in members if member.slot}
    for one, other in combinations([member for member in members if len(member.slot) >= _ROOT_AND_PORT], 2):
        if one.slot[:_ROOT_AND_PORT] == other.slot[:_ROOT_AND_PORT]:
            home[head(other.id)] = head(one.id)
    words = PathWords(specs) if specs is not None else None
    for joint in joints:
        meet = words.of(joint.bus_path).meet if words is not None and joint.bus_path is not None else None
        if meet is None:
            continue
        placed |= {joint.one, joint.other}
        if meet == "switch" and home.keys() >= {joint.one, joint.other}:
            home[head(joint.other)] = head(joint.one)
    found: dict[str, list[str]] = {}
    for member in [one for one in members if one.role == "device"]:
        if member.id in placed:
            found.setdefault(head(member.id), []).append(member.id)
    return tuple(map(tuple, found.values()))
