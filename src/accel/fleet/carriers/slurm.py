"""Nodes of a Slurm cluster: one `srun` step per node, so that a hanging node does not block the others.

Slurm's node states are read first: nodes that are down or drained are not waited for.
Source  slurm.schedmd.com: srun, sinfo, squeue, scontrol; states of nodes
"""

import math
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from accel.fleet.carriers.children import Children, Ended
from accel.fleet.carriers.outcome import PROBE, SHELL_NOT_FOUND, failed, has_line, last_words, outcome
from accel.fleet.model import NodeAnswer, State
from accel.model.dataclass import dataclass
from accel.model.errors import BadInput
from accel.model.printable import printable

_SECONDS: Final = 15.0  # for Slurm's own answers
_DEAD: Final = frozenset(("down", "fail", "failing", "error", "unknown", "powered_down", "powering_down"))
_CLOSED: Final = frozenset(("drained", "draining", "maint", "reserved", "future", "planned"))
_FULL: Final = "allocated"
_NOT_FOUND: Final = 2  # ENOENT: a task ends with the error of its execve()
# srun's message about a node -> the state of its row; the first matching line counts. 22.05 ends with other lines.
_SAID: Final[Mapping[str, State]] = {
    "Node failure on": "dead",
    "Communication connection failure": "dead",
    "Timed out waiting for job step": "dead",
    "Prolog failure on node": "unreachable",
    "Required node not available": "unreachable",
    "Unable to allocate resources": "no_answer",
    "Job allocation": "no_answer",
}
_OF_SRUN: Final = re.compile(r"srun: (?:job \d+ |error: \S+ task \d+: |Force Terminated |Job step aborted)")
_HEED_SECONDS: Final = 8.0  # srun took 3 to end its step and give the node back
_STEP_MINUTES: Final = 2  # Slurm's own limit for a step whose parent is gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Slurm:
    """How nodes are queried through Slurm.

    where         a partition, or the ID of a running job, whose nodes are queried in steps of that job
    at_once       maximum number of concurrent steps
    wait_seconds  limit on waiting for a free slot on a node of a partition
    folder        of srun, sinfo, squeue and scontrol; "": they are looked up in PATH
    """

    where: str
    at_once: int = 32
    wait_seconds: float = 5.0
    probe_seconds: float = 20.0
    command: Sequence[str] = PROBE
    folder: str = ""

    def answers(self, deadline_seconds: float) -> Iterator[NodeAnswer]:
        """Yield each node's answer as it arrives, and after the deadline the missing ones: see Children.

        Raises BadInput if Slurm does not respond, or knows no such partition or job.
        """
        if self.where.startswith("-") or not self.where:
            raise BadInput(f"{self.where[:60]!r} is neither a partition nor the number of a job.")
        if self.where.isdecimal():
            asked = self.nodes_of_job()
        else:
            told = self._said("sinfo", "--noheader", "--Node", f"--partition={self.where}", "--format=%N %T")
            states = dict(line.split()[:2] for line in told.splitlines() if len(line.split()) >= 2)
            rows = {node: row for node, state in states.items() if (row := _closed(node, state)) is not None}
            yield from rows.values()
            asked = [node for node in states if node not in rows]
            if not states:
                raise BadInput(f"Slurm lists no node of a partition {printable(self.where)[:60]!r}:  sinfo")
        children = Children(
            command=self._words,
            judged=_judged,
            at_once=self.at_once,
            most_seconds=self.wait_seconds + self.probe_seconds + 5,
            heed_seconds=_HEED_SECONDS,
        )
        yield from children.answers(asked, deadline_seconds)

    def nodes_of_job(self) -> list[str]:
        """Return the nodes of the job in `where`. Raises BadInput if there are none."""
        folded = self._said("squeue", "--noheader", f"--job={self.where}", "--format=%N").strip()
        nodes = self._said("scontrol", "show", "hostnames", folded).split() if folded else []
        if not nodes:
            raise BadInput(f"Slurm lists no node of a job {self.where}:  squeue --job={self.where}")
        return nodes

    def _words(self, node: str) -> Sequence[str]:
        if self.where.isdecimal():
            place = (f"--jobid={self.where}", "--overlap")
        else:
            place = (f"--partition={self.where}", f"--immediate={max(int(self.wait_seconds), 1)}")
        minutes = _STEP_MINUTES + math.ceil(self.probe_seconds / 60)
        step = ("--no-kill", "--nodes=1", "--ntasks=1", f"--nodelist={node}", f"--time={minutes}")
        probe = (*self.command, "--node", node, "--timeout", f"{self.probe_seconds:g}")
        return (f"{self.folder}srun", *place, *step, "--job-name=accel-fleet-probe", *probe)

    def _said(self, program: str, *words: str) -> str:
        try:
            done = subprocess.run(
                [f"{self.folder}{program}", *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=_SECONDS
            )
        except OSError as error:
            raise BadInput(f"{program} cannot be started here: {error.strerror}. Ask on a node with Slurm.") from None
        except subprocess.TimeoutExpired:
            raise BadInput(
                f"{program} did not answer within {_SECONDS:.0f} s: is slurmctld there?  scontrol ping"
            ) from None
        if done.returncode:
            said = last_words(done.stderr.decode("utf-8", "replace")) or f"exit code {done.returncode}"
            raise BadInput(f"{program}: {said}")
        return done.stdout.decode("utf-8", "replace")


def _closed(node: str, state: str) -> NodeAnswer | None:
    """Return the row of a node that cannot run a step. state: from sinfo's %T, "down*", "mixed".

    >>> _closed("a", "mixed"), _closed("a", "down*").state, _closed("a", "drained").why
    (None, 'dead', 'Slurm gives it to no job: drained')
    """
    word = state.rstrip("*~#!%$@^-+").lower()
    if word in _DEAD or state.endswith("*"):
        return failed(node, "dead", f"Slurm: {state}")
    if word in _CLOSED:
        return failed(node, "unreachable", f"Slurm gives it to no job: {state}")
    if word == _FULL:
        return failed(node, "no_answer", "Slurm has assigned all of it to jobs: use the number of a job there")
    return None


def _judged(child: Ended) -> NodeAnswer:
    if not has_line(child.stdout):
        for words, state in _SAID.items():
            line = next((line for line in child.stderr.splitlines() if words in line), None)
            if line is not None:
                return failed(child.node, state, line, child.seconds)
    said = "\n".join(line for line in child.stderr.splitlines() if not _OF_SRUN.match(line))
    missing = "execve()" in said and child.exit_code == _NOT_FOUND
    return outcome(child.node, child.stdout, said, SHELL_NOT_FOUND if missing else child.exit_code, child.seconds)
