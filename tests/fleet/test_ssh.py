"""A round by ssh, against a program of this name that the test writes: each node has its row, and nothing stays."""

import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from made_nodes import node

from accel.fleet import NodeAnswer
from accel.fleet.carriers.ssh import Ssh
from accel.fleet.node import node_line
from accel.model.errors import BadInput

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")

STAND_IN = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
node=$2
echo "$3" > {folder}/asked-$node
case $node in
  well) cat {folder}/line;;
  noisy) echo 'Welcome. {{"schema": no}}'; printf 'motd '; cat {folder}/line; echo bye; echo 'Last login' >&2;;
  ill_255) cat {folder}/line; exit 255;;
  down) echo 'ssh: connect to host down port 22: Connection refused' >&2; exit 255;;
  refused) echo 'refused: Permission denied (publickey).' >&2; exit 255;;
  mute) exit 255;;
  missing) echo 'sh: 1: accel: not found' >&2; exit 127;;
  broken) echo 'Traceback (most recent call last):' >&2; echo 'ImportError: no msgspec' >&2; exit 1;;
  silent) exit 0;;
  half) head -c 60 {folder}/line;;
  newer) sed 's,node/1,node/2,' {folder}/line;;
  killed) kill -9 $$;;
  flood) yes 2>/dev/null | head -c 20000000; cat {folder}/line;;
  hostile) printf '\\033[2Jgone\\n' >&2; exit 3;;
  hang) echo $$ > {folder}/pid; sleep 600 & echo $! >> {folder}/pid; wait;;
esac
"""


@pytest.fixture
def ssh(tmp_path: Path) -> Callable[..., Ssh]:
    (tmp_path / "line").write_text(node_line(node("whoever", "nvidia:3 is ill")))
    program = tmp_path / "ssh"
    program.write_text(STAND_IN.format(folder=tmp_path))
    program.chmod(0o700)
    return lambda **more: Ssh(program=str(program), **more)


OUTCOMES = {
    "well": ("ill", None),
    "noisy": ("ill", None),
    "ill_255": ("ill", None),
    "flood": ("tool_failed", None),
    "down": ("unreachable", "ssh: connect to host down port 22: Connection refused"),
    "refused": ("unreachable", "refused: Permission denied (publickey)."),
    "mute": ("unreachable", "ssh could not connect, without a message"),
    "missing": ("tool_failed", "accel is not installed there: sh: 1: accel: not found"),
    "broken": ("tool_failed", "exit code 1: ImportError: no msgspec"),
    "silent": ("tool_failed", "exit code 0, and no line"),
    "killed": ("tool_failed", "the probe was ended from outside"),
    "hostile": ("tool_failed", "exit code 3: \ufffd[2Jgone"),
}


def test_each_node_has_its_row_and_its_reason(ssh: Callable[..., Ssh], tmp_path: Path) -> None:
    nodes = [*OUTCOMES, "half", "newer"]
    rows = {answer.node: answer for answer in ssh().answers(nodes, 60)}
    assert sorted(rows) == sorted(nodes)
    told = {name: (rows[name].state, rows[name].why) for name in OUTCOMES}
    told["flood"] = told["flood"][0], None
    assert told == OUTCOMES
    assert rows["half"].state == rows["newer"].state == "tool_failed"
    assert rows["well"].findings[0].title == "nvidia:3 is ill"
    words = shlex.split((tmp_path / "asked-well").read_text())
    assert words[:2] == ["sh", "-c"]
    assert words[4:] == ["accel", "fleet", "probe", "--node", "well", "--timeout", "20"]


def has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_node_that_hangs_ends_with_the_round_and_nothing_of_it_stays(ssh: Callable[..., Ssh], tmp_path: Path) -> None:
    rows: dict[str, NodeAnswer] = {}
    for answer in ssh().answers(["hang", "well"], 1.5):
        rows[answer.node] = answer
        assert answer.node == "well" or "well" in rows  # as they arrive
    assert (rows["hang"].state, rows["hang"].why) == ("no_answer", "no answer after 2 s")
    assert rows["well"].state == "ill"
    pids = [int(word) for word in (tmp_path / "pid").read_text().split()]
    for _ in range(500):
        if all(map(has_ended, pids)):
            break
        time.sleep(0.02)
    assert len(pids) == 2
    assert all(map(has_ended, pids))


def test_a_round_that_nobody_reads_on_is_ended(ssh: Callable[..., Ssh], tmp_path: Path) -> None:
    answers = ssh().answers(["well", "hang"], 60)
    assert next(answers).node == "well"
    for _ in range(500):
        if (tmp_path / "pid").exists():
            break
        time.sleep(0.02)
    answers.close()  # type: ignore[attr-defined]
    assert all(map(has_ended, [int(word) for word in (tmp_path / "pid").read_text().split()[:1]]))


def test_a_node_whose_turn_did_not_come_is_told_apart(ssh: Callable[..., Ssh]) -> None:
    rows = {answer.node: answer.why for answer in ssh(at_once=1).answers(["hang", "well"], 0.8)}
    assert rows["hang"] == "no answer after 1 s"
    assert rows["well"] == "it was not its turn yet after 1 s: raise the deadline, or --at-once"


def test_a_hang_of_one_node_ends_at_the_probes_time(ssh: Callable[..., Ssh]) -> None:
    one = ssh(connect_seconds=0.1, probe_seconds=0.1, grace_seconds=0.3)
    (row,) = one.answers(["hang"], 60)
    assert row.state == "no_answer"
    assert row.seconds is not None
    assert row.seconds < 30


def test_without_ssh_every_node_says_so() -> None:
    (row,) = Ssh(program="/nowhere/ssh").answers(["a"], 5)
    assert (row.state, row.why) == ("tool_failed", "/nowhere/ssh cannot be started here: No such file or directory")


@pytest.mark.parametrize("name", ["-oProxyCommand=x", "", "a b", "a;b", "a\nb", "$(x)", "`x`"])
def test_what_is_no_name_reaches_no_ssh(ssh: Callable[..., Ssh], name: str) -> None:
    with pytest.raises(BadInput, match="is no name of a node"):
        list(ssh().answers(["well", name], 5))
