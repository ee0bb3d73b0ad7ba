"""`accel fleet pairs` as it is typed: ranks on this machine, by ssh and by a launcher, with a stand-in for torch.

With ACCEL_TORCH_PYTHON=/path/to/python the torch of that Python is used as well, over gloo.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from accel.apps.cli import main
from accel.fleet.halves import Suspects
from accel.fleet.pairs import rank_program
from accel.fleet.pairs.found import GroupTest, concluded
from accel.fleet.pairs.judging import Measured
from accel.fleet.pairs.launched import launched
from accel.model.errors import BadInput

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ranks are looked up in /proc")

QUICK = ("--timeout", "3", "--size", "4KiB", "--repeats", "2", "--slow", "8", "--device", "cpu")
Typed = Callable[..., tuple[int, Any]]


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Typed]:
    """Return what types the command, with faults of ranks; nothing of it is left running afterwards."""
    meeting = tmp_path / "meeting"
    meeting.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent / "stub_torch"))
    monkeypatch.setenv("STUB_TORCH", str(meeting))

    def run(*words: str, **faults: str) -> tuple[int, Any]:
        monkeypatch.setenv("STUB_FAULTS", json.dumps(faults))
        code = main(["fleet", "pairs", "--python", sys.executable, *QUICK, *words])
        out = capsys.readouterr().out
        return code, json.loads(out) if "--json" in words else out

    yield run
    for _ in range(200):
        if not of_these(str(meeting)):
            break
        time.sleep(0.02)
    assert of_these(str(meeting)) == []


def of_these(meeting: str) -> list[str]:
    """Return the ranks' processes that run, by their environment."""
    found = []
    for one in Path("/proc").iterdir():
        try:
            about = (one / "cmdline").read_bytes(), (one / "environ").read_bytes()
        except OSError:
            continue
        if b"accel-pairs" in about[0] and meeting.encode() in about[1] and int(one.name) != os.getpid():
            found.append(one.name)
    return found


def test_ranks_that_are_well_end_with_0(typed: Typed) -> None:
    code, told = typed("--local", "5", "--json", "--slow", "1000")
    assert (code, told["schema"], told["whole"], told["nodes"], told["pairs"]) == (0, "accel.pairs/1", True, [], [])
    assert told["ranks"]["local4"] == {
        "torch": "2.0.stub",
        "python": ".".join(map(str, sys.version_info[:3])),
        "device": "cpu",
        "library": "gloo",
        "name": None,
    }
    assert [len(test["nodes"]) for test in told["tests"]] == [2, 2, 2, 2, 2, 5]
    assert told["pair_bytes_per_second"]["least"] > 0


def test_each_kind_of_fault_is_named_with_its_node(typed: Typed) -> None:
    faults = {"local1": "hang", "local6": "die", "local8": "wrong", "local11": "error"}
    code, told = typed("--local", "12", "--json", "--slow", "1000", **faults)
    names = {"hang": "hang", "die": "error", "wrong": "wrong", "error": "error"}
    assert {node["node"]: node["fault"] for node in told["nodes"]} == {
        node: names[fault] for node, fault in faults.items()
    }
    whys = {node["node"]: node["why"] for node in told["nodes"]}
    assert "no end within 3 s" in whys["local1"]
    assert "SIGABRT" in whys["local6"]
    assert "the link is down" in whys["local11"]
    assert (code, told["pairs"], told["whole"]) == (1, [], True)


def test_a_slow_rank_is_named_with_what_the_others_reach(typed: Typed) -> None:
    code, told = typed("--local", "6", "--json", "--timeout", "60", "--slow", "20", local4="slow")
    (slow,) = told["nodes"]
    assert (code, slow["node"], slow["fault"]) == (1, "local4", "slow")
    assert slow["like"] > 20 * slow["bytes_per_second"]


def test_the_text_says_first_what_is_wrong(typed: Typed) -> None:
    code, out = typed("--local", "5", "--slow", "1000", local2="error")
    assert code == 1
    assert out.splitlines()[0] == "5 nodes, all-reduce by gloo on cpu: 1 bad node. First: local2 fails."
    assert "✗ local2 fails  (3 of 3 tests, with " in out
    assert "local2: RuntimeError: the link is down" in out


SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
case $2 in
  down) echo "ssh: connect to host down port 22: No route to host" >&2; exit 255;;
  bare) exec /nowhere/python3;;
esac
echo Welcome
SSH_CONNECTION="10.0.0.1 40000 127.0.0.1 22" exec sh -c "$3"
"""


def test_by_ssh_a_node_that_cannot_be_tested_has_its_row(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ssh").write_text(SSH)
    (tmp_path / "ssh").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    code, told = typed("--hosts", "a,b,down,c,bare", "--json", "--slow", "1000")
    assert {row["node"]: row["state"] for row in told["not_tested"]} == {"down": "unreachable", "bare": "tool_failed"}
    assert sorted(told["ranks"]) == ["a", "b", "c"]
    assert (code, told["nodes"]) == (3, [])


def test_where_no_pair_passes_it_is_no_single_node(typed: Typed) -> None:
    code, out = typed("--local", "6", **{f"local{number}": "error" for number in range(6)})
    assert code == 1
    assert out.splitlines()[0] == "6 nodes, all-reduce by gloo on cpu: no pair passes."
    assert "✗" not in out


def test_the_program_of_a_rank_is_one_that_python_3_8_takes() -> None:
    import ast

    source = (Path(rank_program.__file__)).read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 8))
    assert rank_program.interface_to("127.0.0.1") == "lo"
    assert rank_program.interface_to("no such host") is None


SLURM_TOOLS = {
    "squeue": 'echo "n[1-3]"',
    "scontrol": '[ "$*" = "show hostnames n[1-3]" ] && printf "n1\\nn2\\nn3\\n"',
    "srun": 'echo "$*" >> "$0.typed"; while [ "${1#--}" != "$1" ]; do shift; done; exec "$@"',
}


def test_in_a_job_of_slurm_each_node_gets_a_step(typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, script in SLURM_TOOLS.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    code, told = typed("--slurm", "77", "--json", "--slow", "1000")
    assert (code, sorted(told["ranks"])) == (0, ["n1", "n2", "n3"])
    steps = (tmp_path / "srun.typed").read_text()
    assert all(
        f"--jobid=77 --overlap --no-kill --nodes=1 --ntasks=1 --job-name=accel-fleet-pairs --nodelist={node} " in steps
        for node in told["ranks"]
    )


def test_a_launchers_processes_meet_and_one_that_does_not_come_is_named(typed: Typed, tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ["-m", "accel", "fleet", "pairs", "--rank", "--meet", f"127.0.0.1:{port}", "--start-timeout", "4", "--json"]
    mine = {**os.environ, "OMPI_COMM_WORLD_SIZE": "4", "ACCEL_PAIRS_TOKEN": "a word", "STUB_FAULTS": "{}"}

    def begun(rank: int, **more: str) -> "subprocess.Popen[str]":
        own = {**mine, "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_LOCAL_RANK": str(rank), **more}
        command = [sys.executable, *words, "--python", sys.executable, *QUICK, "--slow", "1000"]
        return subprocess.Popen(command, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    ranks = [begun(0), begun(1), begun(2), begun(3, ACCEL_PAIRS_TOKEN="another word")]
    told = json.loads(ranks[0].communicate(timeout=60)[0])
    for rank in ranks[1:]:
        rank.communicate(timeout=60)
    assert [rank.returncode for rank in ranks[:3]] == [3, 0, 0]
    assert len(told["ranks"]) == 3
    assert [(row["node"], row["state"]) for row in told["not_tested"]] == [("rank 3", "no_answer")]


def test_at_a_signal_what_was_found_is_kept_and_nothing_stays(typed: Typed, tmp_path: Path) -> None:
    words = ["-m", "accel", "fleet", "pairs", "--local", "6", "--json", "--python", sys.executable, *QUICK]
    own = {**os.environ, "STUB_FAULTS": '{"local1": "hang"}'}
    child = subprocess.Popen([sys.executable, *words, "--timeout", "600"], env=own, stdout=subprocess.PIPE)
    meeting = tmp_path / "meeting"
    for _ in range(1000):
        if len([*meeting.glob("*/left")]) == 2:  # the other two pairs of the first round
            break
        time.sleep(0.02)
    time.sleep(0.2)
    child.terminate()
    told = json.loads(child.communicate(timeout=30)[0])
    assert (child.returncode, told["whole"]) == (3, False)
    assert sorted(test["nodes"] for test in told["tests"]) == [["local2", "local3"], ["local4", "local5"]]


@pytest.mark.parametrize(
    "words",
    [
        ["--local", "1"],
        ["--local", "2", "--size", "1"],
        ["--local", "2", "--device", "cuda:x"],
        ["--local", "2", "--slow", "1"],
        ["--local", "2", "--set", "A B=c"],
        ["--local", "2", "--least", "fast"],
        ["--hosts", "a", "-x"],
        ["--hosts", "a;reboot", "b"],
        ["--rank"],
    ],
)
def test_what_cannot_be_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["fleet", "pairs", *words])
    except SystemExit as ended:
        code = int(ended.code or 0)
    assert code == 2
    assert capsys.readouterr().out == ""


SLURM = {"SLURM_PROCID": "2", "SLURM_NTASKS": "8", "SLURM_LOCALID": "1", "SLURM_JOB_ID": "77"}


@pytest.mark.parametrize(
    ("environment", "meet", "told"),
    [
        (SLURM, "n1:4711", (2, 8, 1, "77", "n1", 4711)),
        ({**SLURM, "ACCEL_PAIRS_TOKEN": "x"}, "[::1]:4711", (2, 8, 1, "x", "::1", 4711)),
        (
            {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "a", "MASTER_PORT": "1", "ACCEL_PAIRS_TOKEN": "x"},
            None,
            (0, 2, 0, "x", "a", 1),
        ),
        ({}, "n1:4711", None),
        (SLURM, None, None),
        (SLURM, "n1:0", None),
        ({"PMI_RANK": "0", "PMI_SIZE": "2"}, "n1:4711", None),
    ],
)
def test_a_launchers_variables_are_read(environment: dict[str, str], meet: str | None, told: Any) -> None:
    if told is None:
        with pytest.raises(BadInput, match="--rank"):
            launched(environment, meet)
        return
    own = launched(environment, meet)
    assert (own.rank, own.size, own.local, own.token, own.host, own.port) == told


def test_where_it_was_stopped_nodes_that_failed_twice_and_never_passed_are_named() -> None:
    hang = Measured(fault="hang", why="no end")
    tests = [
        GroupTest(round=1, nodes=("a", "b"), measured=hang),
        GroupTest(round=1, nodes=("c", "d"), measured=Measured(bytes_per_second=1.0)),
        GroupTest(round=2, nodes=("a", "c"), measured=hang),
        GroupTest(round=2, nodes=("b", "d"), measured=Measured(bytes_per_second=1.0)),
    ]
    found = concluded(None, tests, ranks={}, not_tested=(), notes=(), seconds=1)
    assert [(node.node, node.failed, node.partners) for node in found.nodes] == [("a", 2, ("b", "c"))]
    assert concluded(Suspects(), tests, ranks={}, not_tested=(), notes=(), seconds=1).nodes == ()


@pytest.mark.skipif("ACCEL_TORCH_PYTHON" not in os.environ, reason="set ACCEL_TORCH_PYTHON to a Python with torch")
def test_with_torch_and_gloo_a_rank_that_is_stopped_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--local", "4", "--python", os.environ["ACCEL_TORCH_PYTHON"], "--device", "cpu", "--slow", "50", "--json"]
    assert main(["fleet", "pairs", *words]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["ranks"]) == 4
    assert all(test["measured"]["bytes_per_second"] > 0 for test in told["tests"])
