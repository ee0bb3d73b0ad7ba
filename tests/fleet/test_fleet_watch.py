"""`accel fleet watch` as it is typed, by ssh against a program of this name that the test writes."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_nodes import device, found, node

from accel.apps.cli import main
from accel.apps.serve.fleet_metrics import FleetMetrics, WatchedRound
from accel.fleet.changes import advanced
from accel.fleet.merging import merge
from accel.fleet.model import NodeAnswer
from accel.fleet.node import node_line

SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
n=$(cat {folder}/$2.count 2>/dev/null || echo 0); n=$((n + 1)); echo $n > {folder}/$2.count
[ -e {folder}/$2.hang ] && {{ echo $$ > {folder}/$2.pid; exec sleep 600; }}
[ -e {folder}/$2.$n ] && exec cat {folder}/$2.$n
echo "ssh: connect to host $2 port 22: No route to host" >&2
exit 255
"""
Answers = Callable[..., Path]


@pytest.fixture
def by_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answers:
    """Return what writes the answers of nodes, one for each round; None: the node is unreachable in it."""
    (tmp_path / "ssh").write_text(SSH.format(folder=tmp_path))
    (tmp_path / "ssh").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def write(**nodes: list[NodeAnswer | None]) -> Path:
        for name, answers in nodes.items():
            for number, answer in enumerate(answers, 1):
                if answer is not None:
                    (tmp_path / f"{name}.{number}").write_text(node_line(answer))
        return tmp_path

    return write


def story() -> dict[str, list[NodeAnswer | None]]:
    """Three nodes over three rounds: two become ill, one of them recovers; the third vanishes and returns."""
    hot = "nvidia:0 has failed row remapping"
    return {
        "a": [node("a"), node("a", hot), node("a", hot)],
        "b": [node("b"), node("b", "nvidia:3 has failed row remapping"), node("b")],
        "c": [node("c", versions={"driver": "570"}), None, node("c", versions={"driver": "580"})],
    }


WORDS = ("--hosts", "a,b,c", "--every", "1s", "--rounds", "3")


def test_a_line_for_each_change_and_one_for_nodes_with_the_same(
    by_round: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    by_round(**story())
    assert main(["fleet", "watch", *WORDS]) == 0
    lines = [line[9:] for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "  3 nodes: 3 well."
    assert lines[1] in (
        f"✗ {names} ill: DEVICE has failed row remapping  [NV006]" for names in ("a, b", "[a-b]", "a,b")
    )
    assert lines[2] == "✗ c vanished: unreachable: ssh: connect to host c port 22: No route to host"
    assert lines[3] == "✓ b recovered: nvidia:3 has failed row remapping  [NV006]"
    assert lines[4].startswith("✓ c returned: after ")
    assert lines[5:] == ["· c version: driver 570 -> 580"]


def test_json_lines_hold_each_change_and_each_round(
    by_round: Answers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    by_round(**story())
    assert main(["fleet", "watch", *WORDS, "--jsonl", str(tmp_path / "out.jsonl")]) == 0
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert {row["schema"] for row in rows} == {"accel.fleet-changes/1"}
    told = [(row["round"], row["kind"], row.get("node")) for row in rows]
    assert told == [
        (1, "round", None),
        (2, "ill", "a"),
        (2, "ill", "b"),
        (2, "vanished", "c"),
        (2, "round", None),
        (3, "recovered", "b"),
        (3, "returned", "c"),
        (3, "version", "c"),
        (3, "round", None),
    ]
    assert rows[4]["totals"] | {"ill": 2, "unreachable": 1} == rows[4]["totals"]
    assert (rows[7]["what"], rows[7]["before"], rows[7]["now"]) == ("driver", "570", "580")
    assert capsys.readouterr().out.count("\n") == 6  # the text, too


def begun(*words: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "accel", "fleet", "watch", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def asked(port: int, path: str, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_metrics_are_served_between_rounds_and_a_signal_ends_a_round_with_its_children(by_round: Answers) -> None:
    pytest.importorskip("prometheus_client")
    folder = by_round(a=[node("a", "nvidia:0 is hot", devices=[device(0, temperature_celsius=91.0)])])
    child = begun("--hosts", "a,b", "--every", "1s", "--serve", "127.0.0.1:0")
    assert child.stderr is not None
    port = int(child.stderr.readline().rsplit(":", 1)[1].split("/")[0])
    for _ in range(500):
        status, text = asked(port, "/metrics")
        if status == 200:
            break
        time.sleep(0.02)
    assert 'accel_fleet_node_up{node="b"} 0.0' in text
    assert asked(port, "/healthz")[0] == 200
    assert asked(port, "/elsewhere")[0] == 404
    assert asked(port, "/metrics", Host="evil.example")[0] == 403
    (folder / "a.hang").touch()
    for _ in range(1000):
        if (folder / "a.pid").exists() and (folder / "a.pid").read_text().strip():
            break
        time.sleep(0.02)
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=30)
    assert child.returncode == 0
    pid = (folder / "a.pid").read_text().strip()
    for _ in range(200):
        if has_ended(pid):
            break
        time.sleep(0.02)
    assert has_ended(pid)


def has_ended(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def text_of(*every: list[NodeAnswer]) -> str:
    pytest.importorskip("prometheus_client")
    seen: Any = {}
    for number, rows in enumerate(every):
        seen, changes = advanced(seen, rows, 100.0 * number, first=not number)
    counts = {change.kind: 1 for change in changes}
    watched = WatchedRound(
        merged=merge(every[-1]), seen=seen, number=len(every), moment=100.0, seconds=1.5, changes=counts
    )
    return FleetMetrics(watched).text("")[0].decode()


def test_each_node_is_a_label_and_what_is_not_known_has_no_sample() -> None:
    first = [node("a", devices=[device(0, temperature_celsius=60.0, clock_mhz=1980.0)]), node("b")]
    second = [
        node("a", found("x", devices=("nvidia:0",)), versions={"driver": "570"}),
        node("b", state="dead", why="x"),
    ]
    text = text_of(first, second)
    for line in (
        'accel_fleet_nodes{state="ill"} 1.0',
        'accel_fleet_node_up{node="a"} 1.0',
        'accel_fleet_node_up{node="b"} 0.0',
        'accel_fleet_node_state{node="b",state="dead"} 1.0',
        'accel_fleet_node_lost_total{node="b"} 1.0',
        'accel_fleet_node_heard_timestamp_seconds{node="b"} 0.0',
        'accel_fleet_finding{code="NV006",device="nvidia:0",name="row-remap",node="a",severity="error"} 1.0',
        'accel_fleet_node_version{node="a",version="570",what="driver"} 1.0',
        'accel_fleet_changes_total{kind="vanished"} 1.0',
        "accel_fleet_rounds_total 2.0",
    ):
        assert line in text
    assert 'accel_fleet_node_ill{node="b"}' not in text
    assert "temperature" not in text
    before = text_of(first)
    assert 'accel_fleet_device_temperature_celsius{device="nvidia:0",name="NVIDIA H100",node="a"} 60.0' in before
    assert 'accel_fleet_device_clock_hertz{device="nvidia:0",name="NVIDIA H100",node="a"} 1.98e+09' in before


@pytest.mark.parametrize("name", ['a"} 1\nevil{x="', "a\\", "a\nb", "ä"])
def test_a_name_that_means_to_do_harm_stays_one_label(name: str) -> None:
    from prometheus_client.parser import text_string_to_metric_families

    families = {one.name: one for one in text_string_to_metric_families(text_of([node(name)]))}
    assert [sample.labels["node"] for sample in families["accel_fleet_node_up"].samples] == [name]
    assert "evil" not in families


@pytest.mark.parametrize(
    "words",
    [
        ["--every", "0s"],
        ["--rounds", "0"],
        ["--serve", "9836"],
        ["--serve", "0.0.0.0:0"],
        ["--jsonl", "/nowhere/file"],
    ],
)
def test_what_cannot_be_is_refused(words: list[str], by_round: Answers, capsys: pytest.CaptureFixture[str]) -> None:
    by_round()
    assert main(["fleet", "watch", "--hosts", "a", *words]) == 2
    assert capsys.readouterr().out == ""
