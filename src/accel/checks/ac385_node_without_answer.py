"""Nodes that were asked beside others and gave no answer."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.vendors.contract.check import Problem, Remedy, applies, check, quoted
from accel.vendors.contract.command import command_line, name_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AC385",
    name="node-without-answer",
    layer="hardware",
    severity="error",
    family="nodes-unlike",
    reads=("node-without-answer",),
)
def node_without_answer(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """Snapshots of several nodes were given, and the file of one is empty or breaks off.

    Why it matters   The node does not take part: a job that counts on it waits until its timeout.
    What to do       See whether the node can be reached; where an answer breaks off, whether something hangs there.
    Looks at         the files that are given together: those that hold nothing, or the beginning of a snapshot alone
    Silent when      each file holds a whole snapshot; fewer than two do
    Source           accel's own: ssh NODE accel snapshot > NODE.json, for each node
    """
    applies(bool(facts.snapshot.parts), "the report is of one machine")
    silent = facts.stated("node-without-answer")
    for why, says in (("nothing came", "gave no answer"), ("its answer breaks off", "began to answer and broke off")):
        some = [fact for fact in silent if fact.value("why") == why]
        if not some:
            continue
        names = [fact.value("node") or "" for fact in some]
        yield Problem(
            title=f"{', '.join(names[:4])}{f' and {len(names) - 4} more' if len(names) > 4 else ''} {says}",
            evidence=quoted(some),
            remedies=(
                Remedy(
                    text="Ask it alone: a call that hangs is named after its deadline.",
                    command=command_line("ssh -o ConnectTimeout=10", name_word(names[0]), "accel doctor --timeout 20"),
                    action="env",
                    kind="look",
                ),
                Remedy(
                    text="Where it cannot be reached, see its power and its console by the board's own controller.",
                    command="ipmitool -I lanplus -H BMC -U USER chassis status",
                    action="admin",
                ),
            ),
        )
