"""What a real Slurm 22.05 said to the carrier's own command lines (recorded/slurm-22.05.yaml): each node's row."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from accel.fleet.carriers import slurm as carrier
from accel.fleet.carriers.children import Ended
from accel.fleet.carriers.slurm import Slurm
from accel.specs.store import parse

RECORDED: dict[str, dict[str, Any]] = parse(str(Path(__file__).parent / "recorded" / "slurm-22.05.yaml"))
ROWS = {
    "answers": ("ok", None),
    "answers, and ends with 1": ("ok", None),
    "accel is missing": (
        "tool_failed",
        "accel is not installed there: slurmstepd-vm: error: execve(): no-such-accel: No such file or directory",
    ),
    "accel fails": ("tool_failed", "exit code 5: ImportError: no msgspec"),
    "accel is killed": ("tool_failed", "exit code 137, and no line"),
    "full": ("no_answer", "srun: error: Unable to allocate resources: Requested nodes are busy"),
    "step of a full job": ("ok", None),
    "prolog fails": ("unreachable", "srun: Prolog failure on node vm"),
    "epilog fails": ("ok", None),
    "drained": ("unreachable", "srun: Required node not available (down, drained or reserved)"),
    "slurmd is gone": ("dead", "srun: error: Node failure on vm"),
}
STATES = {
    "sinfo of a full node": "no_answer",
    "sinfo after it": "unreachable",  # drained by the prolog
    "sinfo after it is gone": "dead",
}


def said(name: str, stream: str = "stdout") -> str:
    text: str = RECORDED[name].get(stream, "")
    return text


@pytest.mark.parametrize("name", list(ROWS))
def test_what_srun_says_is_the_row_of_its_node(name: str) -> None:
    code = RECORDED[name]["exit_code"]
    ended = Ended(node="vm", stdout=said(name), stderr=said(name, "stderr"), exit_code=code, seconds=1.0)
    row = carrier._judged(ended)
    assert (row.state, row.why) == ROWS[name]


@pytest.mark.parametrize("name", list(STATES))
def test_what_sinfo_says_of_a_node_that_no_step_is_sent_to(name: str) -> None:
    node, state = said(name).split()
    row = carrier._closed(node, state)
    assert row is not None
    assert (row.node, row.state) == ("vm", STATES[name])


def test_the_command_lines_are_those_that_slurm_was_asked_with() -> None:
    for name in ROWS:
        words = shlex.split(RECORDED[name]["argv"])
        command = words[words.index("--job-name=accel-fleet-probe") + 1 : -4]
        job = next((word.partition("=")[2] for word in words if word.startswith("--jobid=")), None)
        assert list(Slurm(where=job or "gpu", command=command)._words("vm")) == words
