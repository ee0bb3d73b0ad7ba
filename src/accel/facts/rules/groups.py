"""The user's groups, as printed by `groups` and `id`."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.model.observation import Command, Fact
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, fact_from, rule

if TYPE_CHECKING:
    from accel.specs import Specs

_NAME: Final = pattern(r"[a-z_][\w-]{0,40}", re.IGNORECASE)


@rule(
    gives={"user-in-groups": "the groups that the user is in: groups, joined by blanks"},
    triggers=("command.groups", "command.id"),
)
def user_groups(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds for the output of `groups` and `id`."""
    for command in seen.of(Command):
        if command.tool not in ("groups", "id") or not command.answer or command.advice:
            continue
        answer = command.answer.rpartition("groups=")[2] if command.tool == "id" else command.answer
        yield fact_from("user-in-groups", command, groups=" ".join(_NAME.findall(answer)))
