"""Slurm and Kubernetes, against programs of their names that the test writes: command lines, and each node's row."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from made_nodes import node

from accel.apps.cli import main
from accel.fleet import NodeAnswer
from accel.fleet.carriers.kubernetes import Kubernetes
from accel.fleet.carriers.slurm import Slurm
from accel.fleet.node import node_line
from accel.model.errors import BadInput

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are scripts of a POSIX shell")

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "docs" / "examples"
LINE = node_line(node("whoever", "nvidia:3 is ill"))
SRUN = """#!/bin/sh
echo "$@" >> {folder}/asked
for word in "$@"; do case $word in --nodelist=*) node=${{word#--nodelist=}};; esac; done
case $node in
  n1) echo 'srun: job 7 queued' >&2; cat {folder}/line; exit 1;;
  n2) echo 'srun: error: Unable to allocate resources: Requested nodes are busy' >&2; exit 1;;
  n3) echo 'srun: error: Node failure on n3' >&2; exit 1;;
  n4) echo 'slurmstepd-n4: error: execve(): accel: No such file or directory' >&2
    echo 'srun: error: n4: task 0: Exited with exit code 2' >&2; exit 2;;
  n5) sleep 600;;
esac
"""
SINFO = """n1 idle
n2 mixed
n3 idle
n4 idle
n5 idle
n6 down*
n7 drained
n8 allocated
n9 idle*
"""


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o700)


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    (tmp_path / "line").write_text(LINE)
    (tmp_path / "states").write_text(SINFO)
    program(tmp_path, "srun", SRUN.format(folder=tmp_path))
    program(tmp_path, "sinfo", f'#!/bin/sh\ncase "$*" in *gpu*) cat {tmp_path}/states;; esac\n')
    program(
        tmp_path,
        "squeue",
        '#!/bin/sh\ncase "$*" in *--job=42*) echo "n[1,4]";; *--job=43*) ;; '
        "*) echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1;; esac\n",
    )
    program(tmp_path, "scontrol", '#!/bin/sh\n[ "$*" = "show hostnames n[1,4]" ] && printf "n1\\nn4\\n"\n')
    return tmp_path


def states(rows: list[NodeAnswer]) -> dict[str, tuple[str, str | None]]:
    return {row.node: (row.state, row.why) for row in rows}


def test_a_partition_by_slurm(tools: Path) -> None:
    rows = states(list(Slurm(where="gpu", folder=f"{tools}/").answers(1.5)))
    assert rows == {
        "n1": ("ill", None),
        "n2": ("no_answer", "srun: error: Unable to allocate resources: Requested nodes are busy"),
        "n3": ("dead", "srun: error: Node failure on n3"),
        "n4": (
            "tool_failed",
            "accel is not installed there: slurmstepd-n4: error: execve(): accel: No such file or directory",
        ),
        "n5": ("no_answer", "no answer after 2 s"),
        "n6": ("dead", "Slurm: down*"),
        "n7": ("unreachable", "Slurm gives it to no job: drained"),
        "n8": ("no_answer", "Slurm has assigned all of it to jobs: use the number of a job there"),
        "n9": ("dead", "Slurm: idle*"),
    }
    asked = sorted((tools / "asked").read_text().splitlines(), key=lambda line: line.index("--nodelist"))
    assert (
        "--partition=gpu --immediate=5 --no-kill --nodes=1 --ntasks=1 --nodelist=n1 --time=3 --job-name="
        "accel-fleet-probe accel fleet probe --node n1 --timeout 20"
    ) in asked
    assert len(asked) == 5


def test_a_job_by_slurm_is_asked_beside_what_runs(tools: Path) -> None:
    rows = states(list(Slurm(where="42", folder=f"{tools}/").answers(60)))
    assert sorted(rows) == ["n1", "n4"]
    assert all("--jobid=42 --overlap" in line for line in (tools / "asked").read_text().splitlines())


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("none", "lists no node of a partition 'none'"),
        ("43", "lists no node of a job 43"),
        ("44", "Invalid job id"),
        ("-x", "neither a partition"),
        ("", "neither a partition"),
    ],
)
def test_what_slurm_does_not_know_is_said(tools: Path, where: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        list(Slurm(where=where, folder=f"{tools}/").answers(5))


def test_without_slurm_it_is_said() -> None:
    with pytest.raises(BadInput, match="sinfo cannot be started here"):
        list(Slurm(where="gpu", folder="/nowhere/").answers(5))


@pytest.mark.parametrize(
    ("answer", "code", "words", "ends"),
    [
        (LINE, 1, {}, 1),
        (LINE, 1, {"ACCEL_PROLOG_DRAINS": "no"}, 0),
        (LINE.replace('"severity": "error"', '"severity": "warning"'), 1, {}, 0),
        (
            node_line(node("a", 'a title says "severity": "error"')).replace('"severity": "error"', '"x": 1', 1),
            0,
            {},
            0,
        ),
        (node_line(node("a")), 0, {}, 0),
        (node_line(node("a", state="partial")), 3, {}, 0),
        ("", 2, {}, 0),
        ("", 127, {}, 0),
    ],
)
def test_the_prolog_drains_only_for_an_error_that_was_found(
    tmp_path: Path, answer: str, code: int, words: dict[str, str], ends: int
) -> None:
    (tmp_path / "line").write_text(answer)
    program(tmp_path, "accel", f'#!/bin/sh\necho "$@" > {tmp_path}/asked\ncat {tmp_path}/line\nexit {code}\n')
    (tmp_path / "save").mkdir()
    slurm = {"SLURM_JOB_ID": "7", "SLURMD_NODENAME": "n1", "ACCEL_PROLOG_SAVE": str(tmp_path / "save")}
    environment = {**os.environ, **slurm, "ACCEL": str(tmp_path / "accel"), **words}
    assert subprocess.run([EXAMPLES / "slurm" / "prolog.sh"], env=environment, check=False).returncode == ends
    assert (tmp_path / "asked").read_text() == "fleet probe --node n1 --timeout 8\n"
    assert [path.name for path in (tmp_path / "save").iterdir()] == (["n1.json"] if answer else [])


def test_the_prolog_has_a_path_though_slurm_gives_it_none_and_tells_the_journal_what_it_found(tmp_path: Path) -> None:
    (tmp_path / "line").write_text(LINE)
    program(tmp_path, "accel", f'#!/bin/sh\necho "$PATH" > {tmp_path}/path\ncat {tmp_path}/line\nexit 1\n')
    program(tmp_path, "logger", f'#!/bin/sh\necho "$@" > {tmp_path}/journal\n')
    script = [EXAMPLES / "slurm" / "prolog.sh"]
    bare = {"ACCEL": str(tmp_path / "accel"), "SLURM_JOB_ID": "7", "SLURMD_NODENAME": "n1"}
    assert subprocess.run(script, env=bare, check=False).returncode == 1
    assert "/usr/local/bin" in (tmp_path / "path").read_text().strip().split(":")
    subprocess.run(script, env={**bare, "PATH": f"{tmp_path}:{os.environ['PATH']}"}, check=False)
    assert (tmp_path / "journal").read_text() == "-t accel-prolog job 7: found NV006 row-remap\n"


def test_the_prolog_lets_a_job_start_where_accel_is_too_slow(tmp_path: Path) -> None:
    program(tmp_path, "accel", "#!/bin/sh\nexec sleep 600\n")
    program(tmp_path, "timeout", '#!/bin/sh\n[ "$1 $2 $3" = "-k 1 10" ] && exit 124\nexit 9\n')
    environment = {**os.environ, "ACCEL": str(tmp_path / "accel"), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert subprocess.run([EXAMPLES / "slurm" / "prolog.sh"], env=environment, check=False).returncode == 0


def kube_node(name: str, ready: str = "True", **labels: str) -> dict[str, Any]:
    made = {f"topology.kubernetes.io/{key}": value for key, value in labels.items()}
    return {"metadata": {"name": name, "labels": made}, "status": {"conditions": [{"type": "Ready", "status": ready}]}}


def pod(name: str, on: str | None, phase: str = "Running", day: str = "01", **more: Any) -> dict[str, Any]:
    meant = [{"matchFields": [{"key": "metadata.name", "values": [more.pop("meant")]}]}] if "meant" in more else []
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": meant}}}
    return {
        "metadata": {"name": name, "creationTimestamp": f"2026-11-{day}T00:00:00Z"},
        "spec": {**({"nodeName": on} if on else {}), "affinity": affinity},
        "status": {"phase": phase, **more},
    }


KUBECTL = """#!/bin/sh
echo "$@" >> {folder}/asked
case "$*" in
  *"get nodes"*) cat {folder}/nodes.json;;
  *"get pods"*) cat {folder}/pods.json;;
  *"logs p1-new "*) echo 'starting'; cat {folder}/line;;
  *"logs p2 "*) echo 'sh: accel: not found';;
  *"logs p3 "*) echo 'Error from server: container is gone' >&2; exit 1;;
  *"logs p9 "*) ;;
  *) exit 9;;
esac
"""


@pytest.fixture
def kubectl(tmp_path: Path) -> Path:
    nodes = [kube_node(f"k{n}", zone="z1") for n in (1, 2, 3, 4, 5, 9)]
    nodes += [kube_node("k6", "Unknown"), kube_node("k7", "False"), kube_node("k8")]
    pods = [pod("p1-old", "k1"), pod("p1-new", "k1", day="02"), pod("p2", "k2"), pod("p3", "k3"), pod("p6", "k6")]
    pods += [pod("p9", "k9", "Succeeded")]
    pods += [pod("p4", None, "Pending", meant="k4", conditions=[{"reason": "Unschedulable"}])]
    waiting = [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]
    pods += [pod("p5", "k5", "Pending", containerStatuses=waiting), pod("lost", None, "Pending")]
    (tmp_path / "nodes.json").write_text(json.dumps({"items": nodes}))
    (tmp_path / "pods.json").write_text(json.dumps({"items": pods}))
    (tmp_path / "line").write_text(LINE)
    program(tmp_path, "kubectl", KUBECTL.format(folder=tmp_path))
    return tmp_path


def test_logs_of_pods_are_collected_and_a_pod_that_waits_is_no_ill_node(kubectl: Path) -> None:
    rows = list(Kubernetes(program=str(kubectl / "kubectl"), namespace="gpu", context="lab").answers(60))
    assert states(rows) == {
        "k1": ("ill", None),
        "k2": ("tool_failed", "sh: accel: not found"),
        "k3": ("no_answer", "its log cannot be read: Error from server: container is gone"),
        "k4": ("no_answer", "the pod of its probe is pending: Unschedulable"),
        "k5": ("no_answer", "the pod of its probe is pending: ImagePullBackOff"),
        "k6": ("dead", "Kubernetes: its kubelet does not answer"),
        "k7": ("unreachable", "Kubernetes: the node is not ready"),
        "k8": ("no_answer", "it has no probe pod"),
        "k9": ("tool_failed", "its log is empty"),
        "pod lost": ("no_answer", "the pod of its probe is pending"),
    }
    assert next(row for row in rows if row.node == "k1").place == {"zone": "z1"}
    asked = (kubectl / "asked").read_text().splitlines()
    assert asked[:2] == [
        "--context=lab get nodes --output=json --request-timeout=30s",
        "--context=lab get pods --namespace=gpu --selector=app=accel-fleet --output=json --request-timeout=30s",
    ]
    assert "--context=lab logs p1-new --namespace=gpu --tail=20 --all-containers" in asked


def test_the_commands_are_those_of_the_carriers(
    kubectl: Path, tools: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", f"{kubectl}:{os.environ['PATH']}")
    assert main(["fleet", "collect", "--k8s"]) == 1
    assert capsys.readouterr().out.startswith(
        "10 nodes: 1 ill, 5 without an answer, 1 dead, 1 unreachable, 2 where accel"
    )
    assert main(["fleet", "doctor", "--slurm", "42"]) == 1
    assert capsys.readouterr().out.startswith("2 nodes: 1 ill, 1 where accel failed.")


@pytest.mark.parametrize("text", ["", "{}", '{"items": [{"metadata": {}}]}', "[" * 50_000])
def test_what_is_no_list_of_kubectl_is_refused(kubectl: Path, text: str) -> None:
    (kubectl / "nodes.json").write_text(text)
    with pytest.raises(BadInput, match="printed no list"):
        list(Kubernetes(program=str(kubectl / "kubectl")).answers(5))


@pytest.mark.parametrize("name", ["job.yaml", "daemonset.yaml"])
def test_a_manifest_names_the_node_and_what_collect_selects(name: str) -> None:
    made = yaml.safe_load((EXAMPLES / "kubernetes" / name).read_text())
    template = made["spec"]["template"]
    (container,) = template["spec"]["containers"]
    assert template["metadata"]["labels"] == {"app": "accel-fleet"}
    assert {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}} in container["env"]
    assert 'accel fleet probe --node "$NODE"' in container["args"][0]
    assert "privileged" not in container["securityContext"]
