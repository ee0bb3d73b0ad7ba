"""Nodes by the system's own `ssh`: its configuration, keys and agent; nothing is asked, nothing is installed."""

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from accel.fleet.carriers.children import Children, Ended
from accel.fleet.carriers.outcome import PROBE, failed, has_line, last_words, outcome
from accel.fleet.model import NodeAnswer
from accel.model.dataclass import dataclass

_OWN_FAILURE: Final = 255  # ssh's exit code where it could not connect, log in or start anything


@dataclass(frozen=True, slots=True, kw_only=True)
class Ssh:
    """How nodes are asked by ssh.

    at_once          connections at one time
    connect_seconds  for a connection; probe_seconds: for the probe's own deadline; grace_seconds: for the rest, such as
                     the start of a shell; all within the round's
    command          what is run there, before the probe's own words: ("accel", "fleet", "probe")
    options          words for ssh itself, such as ("-p", "2222")
    """

    at_once: int = 64
    connect_seconds: float = 5.0
    probe_seconds: float = 20.0
    grace_seconds: float = 5.0
    command: Sequence[str] = PROBE
    options: Sequence[str] = ()
    program: str = "ssh"

    def answers(self, nodes: Sequence[str], deadline_seconds: float) -> Iterator[NodeAnswer]:
        """Yield each node's answer as it arrives, and after the deadline those that are missing: see Children."""
        return Children(
            command=self._words,
            judged=_judged,
            at_once=self.at_once,
            most_seconds=self.connect_seconds + self.probe_seconds + self.grace_seconds,
        ).answers(nodes, deadline_seconds)

    def _words(self, node: str) -> Sequence[str]:
        remote = [*self.command, "--node", node, "--timeout", f"{self.probe_seconds:g}"]
        connect = f"ConnectTimeout={max(int(self.connect_seconds), 1)}"
        return (self.program, "-o", "BatchMode=yes", "-o", connect, *self.options, "--", node, shlex.join(remote))


def _judged(child: Ended) -> NodeAnswer:
    if child.exit_code == _OWN_FAILURE and not has_line(child.stdout):
        said = last_words(child.stderr) or "ssh could not connect, and said nothing"
        return failed(child.node, "unreachable", said, child.seconds)
    return outcome(child.node, child.stdout, child.stderr, child.exit_code, child.seconds)
