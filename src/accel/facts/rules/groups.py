"""The user's groups, as printed by `groups` and `id`, and nodes whose group is none of them."""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.observation import Command, Fact
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, fact_from, rule

_NUMBER: Final = pattern(r"(?<!\d)(?P<number>\d{1,9})(?:\((?P<name>[^()\n]{1,40})\))?", re.IGNORECASE)
_NAME: Final = pattern(r"[a-z_][\w-]{0,40}", re.IGNORECASE)


@rule(
    gives={"user-in-groups": "the groups that the user is in: groups, joined by blanks"},
    triggers=("command.groups", "command.id"),
)
def user_groups(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for the output of `groups` and `id`."""
    for command in seen.of(Command):
        if command.tool not in ("groups", "id") or not command.answer or command.advice:
            continue
        answer = command.answer.rpartition("groups=")[2] if command.tool == "id" else command.answer
        yield fact_from("user-in-groups", command, groups=" ".join(_NAME.findall(answer)))


@rule(
    gives={
        "node-group-unlike": "a node's group is none of the user's, by its number: node, group, and render's number"
    },
    triggers=("node-group-number",),
)
def node_group_unlike(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if the number of a node's group is not among those of `id`, or is not that of the group render."""
    answers = [one.answer for one in seen.of(Command) if one.tool == "id" and one.answer and not one.advice]
    printed = [hit for answer in answers for hit in _NUMBER.finditer(answer.rpartition("groups=")[2])]
    if any(answer.startswith("uid=0") for answer in answers):
        return
    named = {fact.value("number") for fact in seen.facts("render-group-number")}
    named |= {hit["number"] for hit in printed if hit["name"] == "render"}
    wanted = named.pop() if len(named) == 1 else None
    given = {fact.value("number") for fact in seen.facts("node-gid-given")}
    container = next((name for fact in seen.facts("container-of-lxc") if (name := fact.value("container"))), None)
    more = tuple((key, value) for key, value in (("wanted", wanted), ("container", container)) if value is not None)
    of_user = {hit["number"] for hit in printed} or {wanted or ""}
    for fact in seen.facts("node-group-number"):
        known = bool(printed) or wanted is not None
        if known and fact.value("group") not in of_user and not given.intersection((wanted, fact.value("group"))):
            yield replace(fact, name="node-group-unlike", values=(*fact.values, *more))
