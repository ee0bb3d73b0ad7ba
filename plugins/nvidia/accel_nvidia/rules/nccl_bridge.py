"""Ranks on several machines that look for each other on a network local to each machine."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from accel.model.observation import Command, Fact, Noted, whole_number
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_SPEAKER: Final = re.compile(r"(?P<host>[\w.-]{1,80}):\d{1,9}(?::\d{1,9})? \[\d{1,3}\] NCCL ")
_NODES: Final = ("--nnodes", "--nodes", "-N", "--num_machines", "--num-nodes", "--num_nodes")


@rule(
    gives={"nccl-nodes-on-bridge": "NCCL uses a bridge or the loopback, and the job's ranks are on several machines"},
    triggers=("nccl-bridge-chosen", "nccl-bridges-used"),
)
def nccl_bridge(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if NCCL lines name two hosts, or a launcher or the user mentions several machines. On one machine, and
    among containers that share it, a bridge works.
    """
    chosen = [one for one in seen.of(Noted) if one.fact in ("nccl-bridge-chosen", "nccl-bridges-used")]
    hosts = {found["host"] for one in chosen if (found := _SPEAKER.search(one.text))}
    if (
        len(hosts) > 1
        or seen.facts("job-on-several-machines")
        or any(_several(command.options) for command in seen.of(Command))
    ):
        for one in chosen[:2]:
            yield fact_from("nccl-nodes-on-bridge", one, **dict(one.values))


def _several(options: Iterable[str]) -> bool:
    """Return whether launcher options request more than one machine: --nnodes=2, --nnodes=1:4, -N=2."""
    for option in options:
        name, _, value = option.partition("=")
        most = whole_number(value.rpartition(":")[2])
        if name in _NODES and most is not None and most > 1:
            return True
    return False
