"""Whether a user may open the chips' nodes: their mode and owners compared with the user's IDs."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Fact, Noted
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

CLOSED: Final = "npu-node-closed-to-user"
OPEN: Final = "npu-node-open-to-user"
_BOTH: Final = 6  # read and write
_MODE: Final = pattern("[0-7]{1,6}")


@rule(
    gives={
        CLOSED: "the nodes' mode and owners do not let this user open them",
        OPEN: "the nodes' mode and owners let this user open them",
    },
    triggers=("npu-node-listed",),
)
def node_rights(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Compares node listings with the process's user, from `id`, runAsUser or --user. Root may open everything,
    unless CAP_DAC_OVERRIDE was dropped. Names are compared as numbers if an `id` in the text gives both.
    """
    nodes = [one for one in seen.of(Noted) if one.fact == "npu-node-listed"]
    people = [one for one in seen.of(Noted) if one.fact == "process-identity"]
    numbers = {
        name: number
        for one in people
        for name, number in (_of(one, "user", "uid"), _of(one, "group", "gid"))
        if name and number
    }
    stripped = any(one.fact == "capabilities-dropped" for one in seen.of(Noted))
    for person in (one for one in people if dict(one.values).get("asked") is None):  # of the process itself
        node = next(iter(nodes), None)
        if node is None:
            return
        may = _may_open(dict(node.values), dict(person.values), numbers, stripped)
        if may is not None:
            values = {key: value for key, value in (*node.values, *person.values) if key in _TOLD}
            yield fact_from(OPEN if may else CLOSED, person, **values)
            if not may:
                yield fact_from(CLOSED, node, **values)


_TOLD: Final = frozenset(("path", "mode", "owner", "group_owner", "uid", "gid", "user"))


def _of(one: Noted, name: str, number: str) -> tuple[str | None, str | None]:
    values = dict(one.values)
    return values.get(name), values.get(number)


def _may_open(node: dict[str, str], person: dict[str, str], numbers: dict[str, str], stripped: bool) -> bool | None:
    uid, octal = person.get("uid"), _MODE.fullmatch(node.get("mode", "0"))
    if uid is None or octal is None:
        return None
    mode = int(octal[0], 8)
    if uid == "0" and not stripped:
        return True
    owner, group = _number(node.get("owner"), numbers), _number(node.get("group_owner"), numbers)
    if owner is None:
        return None
    if owner == uid:
        return mode >> 6 & _BOTH == _BOTH
    groups = {person.get("gid"), *person.get("groups", "").split()} - {None, ""}
    named = {*person.get("group_names", "").split()}
    if (group is not None and group in groups) or node.get("group_owner") in named:
        return mode >> 3 & _BOTH == _BOTH
    return mode & _BOTH == _BOTH


def _number(name: str | None, numbers: dict[str, str]) -> str | None:
    """Return the number of an account; a name without an `id` differs from every number."""
    if name is None or name.isdecimal():
        return name
    return numbers.get(name, "0" if name == "root" else f"?{name}")
