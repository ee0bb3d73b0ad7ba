"""What kubectl 1.32 printed (recorded/kubectl-1.32.yaml), replayed to `accel fleet collect --k8s`: each node's row."""

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from made_nodes import node

from accel.fleet.carriers.kubernetes import Kubernetes
from accel.fleet.node import node_line
from accel.model.errors import BadInput
from accel.specs.store import parse

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script of a POSIX shell")

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "docs" / "examples" / "kubernetes"
RECORDED: dict[str, list[dict[str, Any]]] = parse(str(HERE / "recorded" / "kubectl-1.32.yaml"))
ROWS = {
    "k1": ("ok", None),
    "k3": (
        "no_answer",
        "its probe pod was evicted: The node was low on resource: memory. Threshold quantity: 100Mi, available: 48Mi.",
    ),
    "k4": (
        "tool_failed",
        "accel is not installed in its image: sh: 1: accel: not found (CrashLoopBackOff, exit code 127)",
    ),
    "k5": ("no_answer", "the pod of its probe is pending: ImagePullBackOff"),
    "k6": ("no_answer", "the pod of its probe is pending: ContainerCreating"),
    "k7": ("tool_failed", "its log is empty (OOMKilled, exit code 137)"),
    "k10": ("dead", "Kubernetes: its kubelet does not answer"),
    "k11": ("ok", None),  # it crashes, and had written its line
    "k12": ("ok", None),  # a newer pod was evicted, and the older one runs
}


def kubectl(folder: Path, *cases: str, changed: dict[str, str] | None = None) -> Kubernetes:
    """Write a program that answers as was recorded; of several cases the first that knows a command line."""
    parts = []
    for number, one in enumerate(one for case in cases for one in RECORDED[case]):
        for stream in ("stdout", "stderr"):
            (folder / f"{number}.{stream}").write_text((changed or {}).get(one["argv"], one.get(stream, "")))
        said = f"cat {folder}/{number}.stdout; cat {folder}/{number}.stderr >&2; exit {one['exit_code']}"
        parts.append(f"{shlex.quote(one['argv'])}) {said};;\n")
    program = folder / "kubectl"
    program.write_text(f'#!/bin/sh\ncase "$*" in\n{"".join(parts)}*) echo "not recorded: $*" >&2; exit 1;;\nesac\n')
    program.chmod(0o700)
    return Kubernetes(program=str(program), namespace="gpu", now=lambda: 1_795_943_400.0)  # 2026-11-29T09:10:00Z


def states(cluster: Kubernetes) -> dict[str, tuple[str, str | None]]:
    return {row.node: (row.state, row.why) for row in cluster.answers(60)}


def test_each_node_has_its_row_whatever_became_of_its_pod(tmp_path: Path) -> None:
    rows = states(kubectl(tmp_path, "all"))
    assert {name: rows[name] for name in ROWS} == ROWS
    assert rows["k2"][0] == "tool_failed"  # half a line
    assert "connection refused" in (rows["k9"][1] or "")
    assert sorted(rows) == sorted([*ROWS, "k2", "k8", "k9"])
    assert {row.place["zone"] for row in kubectl(tmp_path, "all").answers(60)} == {"z1"}


def test_a_half_written_line_does_not_hide_the_whole_one_before_it(tmp_path: Path) -> None:
    argv = "logs accel-fleet-partial --namespace=gpu --tail=20 --all-containers"
    line = node_line(node("k2"))
    assert states(kubectl(tmp_path, "all", changed={argv: line + line[:40]}))["k2"] == ("ok", None)


def test_a_pod_that_runs_and_has_written_nothing_for_long_is_no_answer(tmp_path: Path) -> None:
    argv = "logs accel-fleet-well --namespace=gpu --tail=20 --all-containers"
    for taken_at, row in (
        ("2026-11-29T09:05:00Z", ("ok", None)),
        ("2026-11-29T08:10:00Z", ("no_answer", "its probe has written nothing for 60 min: it hangs, or clocks differ")),
        ("whenever", ("ok", None)),
    ):
        changed = {argv: node_line(node("k1", taken_at=taken_at))}
        assert states(kubectl(tmp_path, "all", changed=changed))["k1"] == row


def test_a_log_that_the_user_may_not_read_is_said_alike_for_all_pods(tmp_path: Path) -> None:
    rows = states(kubectl(tmp_path, "pods/log refused", "all"))
    assert rows["k1"] == ("no_answer", "its log cannot be read: this user may not read it (pods/log)")


@pytest.mark.parametrize(
    ("case", "more", "said"),
    [
        ("nodes refused", {}, r"cannot list resource \"nodes\".*What is needed:  docs/examples/kubernetes/reader.yaml"),
        ("pods refused", {}, r"cannot list resource \"pods\".*What is needed:  docs/examples/kubernetes/reader.yaml"),
        ("no such context", {"context": "nix"}, "context was not found for specified context: nix"),
        ("no server", {}, "The connection to the server .* was refused"),
        ("no pods", {"namespace": "empty"}, "No pod of the namespace empty has the labels app=accel-fleet"),
    ],
)
def test_what_ends_a_collection_is_said(tmp_path: Path, case: str, more: dict[str, str], said: str) -> None:
    from accel.model.dataclass import replace

    with pytest.raises(BadInput, match=said):
        list(replace(kubectl(tmp_path, case, "all"), **more).answers(60))


@pytest.mark.parametrize("name", ["job.yaml", "daemonset.yaml", "reader.yaml"])
@pytest.mark.parametrize("version", ["1.25.0", "1.37.0"])
def test_a_manifest_is_valid_by_the_schemas_of_kubernetes(name: str, version: str) -> None:
    schemas = pytest.importorskip("kubernetes_validate", reason="needs kubernetes-validate")
    for document in yaml.safe_load_all((EXAMPLES / name).read_text()):
        schemas.validate(document, version, strict=True)
