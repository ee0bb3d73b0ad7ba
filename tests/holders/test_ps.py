"""`accel ps` as a user types it."""

import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from datetime import datetime, timezone
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest

from accel.apps.cli import main
from accel.apps.render.holders_text import belongs_to, since_text
from accel.model.codec import encode_snapshot
from accel.model.device import Device, Process
from accel.model.holding import Holder, Holdings, RunningProcess
from accel.model.report import Report
from accel.model.snapshot import Snapshot

GIB = 2**30
WORKER = RunningProcess(
    pid=41901,
    parent_pid=1,
    name="python3",
    user="jane",
    command=("python3", "-c", "from multiprocessing.spawn import spawn_main"),
    started_at="2026-11-22T10:00:00Z",
    start_ticks=900,
    state="sleeping",
    scheduler="slurm",
    job="71",
    job_step="0",
)
TRAINS = RunningProcess(
    pid=41877,
    name="python3",
    user="jane",
    command=("python3", "train.py"),
    started_at="2026-11-22T11:30:00Z",
    start_ticks=901,
    state="blocked",
    waits_in="acme_wait",
    waits_in_module="acme_core",
    pod="train-7",
    pod_namespace="ml",
)
GPU = Device(
    id="nvidia:0",
    index=0,
    backend="nvidia",
    vendor="NVIDIA",
    kind="gpu",
    uuid="GPU-5c1d9a30-7f02-4e6b-9a11-0d2e4c6b8f10",
    memory_total_bytes=80 * GIB,
    memory_used_bytes=60 * GIB,
    processes=(Process(pid=41877, memory_bytes=20 * GIB),),
)
HELD = Holdings(
    holders=(
        Holder(backend="nvidia", device="nvidia:0", process=TRAINS, memory_bytes=20 * GIB, listed=True),
        Holder(backend="nvidia", device="nvidia:0", process=WORKER, nodes=("/dev/nvidia0",), listed=False),
    ),
    looked_into=200,
    own_namespace=False,
)
SAVED = Snapshot(
    taken_at="2026-11-22T12:00:00Z", reports=(Report(backend="nvidia", source="nvml", devices=(GPU,)),), holdings=HELD
)


def accel(*words: str) -> tuple[int, str, str]:
    out, errors = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(errors), patch("sys.stdin", StringIO("")):
        code = main(list(words))
    return code, out.getvalue(), errors.getvalue()


@pytest.fixture
def saved(tmp_path: Path) -> str:
    file = tmp_path / "node.json"
    file.write_text(encode_snapshot(SAVED), encoding="utf-8")
    return str(file)


def test_the_holders_of_a_saved_machine_are_a_line_each(saved: str) -> None:
    code, out, _ = accel("ps", "--from", saved)
    head, first, second = out.splitlines()[:3]
    assert code == 0
    assert head.split("  ")[0] == "device"
    assert first.split() == [
        *["nvidia:0", "41877", "jane", "20.0", "GiB", "blocked", "in", "acme_core", "30", "min", "pod", "ml/train-7"],
        "python3",
        "train.py",
    ]
    assert second.split()[:6] == ["nvidia:0", "41901", "jane", "?", "sleeping", "2"]
    assert "Not listed by the driver, but with the device's node open: 41901" in out
    assert "nvidia:0: 40.0/80.0 GiB are in use by nobody who is listed. See why:  accel ps --ghosts" in out


def test_ghosts_say_why_and_what_to_type_and_end_with_1(saved: str) -> None:
    code, out, _ = accel("ps", "--from", saved, "--ghosts", "GPU-5c1d9a30")
    assert code == 1
    assert "process 41901 has the device open, but the driver does not list it" in " ".join(out.split())
    assert "its parent is gone; slurm 71.0" in " ".join(out.split())
    assert "        accel ps nvidia:0 --ghosts --kill\n" in out
    assert "        sudo nvidia-smi --gpu-reset -i 0\n" in out


def test_json_has_the_process_in_the_row_and_the_ghosts(saved: str) -> None:
    code, out, _ = accel("ps", "--from", saved, "--json")
    answer = json.loads(out)
    assert (code, answer["schema"]) == (0, "accel.ps/1")
    assert set(answer) == {"schema", "holders", "ghosts", "ended", "gaps"}
    first, second = answer["holders"]
    assert (first["pid"], first["memory_bytes"], first["pod"], first["listed"]) == (41877, 20 * GIB, "train-7", True)
    assert (second["device"], second["nodes"], second["job"]) == ("nvidia:0", ["/dev/nvidia0"], "71")
    assert [(g["reason"], g["pids"], g["memory_bytes"]) for g in answer["ghosts"]] == [("unlisted", [41901], 40 * GIB)]


def test_a_text_of_a_tool_gives_those_that_it_lists(tmp_path: Path) -> None:
    file = tmp_path / "plain.json"
    file.write_text(encode_snapshot(replace(SAVED, holdings=None)), encoding="utf-8")
    code, out, _ = accel("ps", "--from", str(file))
    assert code == 0
    assert out.splitlines()[1].split()[:5] == ["nvidia:0", "41877", "?", "20.0", "GiB"]
    assert "the input only says which processes the driver listed" in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--kill"], "needs to know whom"),
        (["--ghosts", "--kill"], "this is no terminal"),
        (["nvidia:0", "--kill", "--json"], "this is no terminal"),
        (["--yes"], "--yes goes with --kill"),
        (["--ghosts", "--kill", "--yes", "--from", "x"], "of another"),
        (["nvidia:7"], "No device 'nvidia:7'"),
    ],
)
def test_what_does_not_go_is_one_sentence_and_2(words: list[str], sentence: str, saved: str) -> None:
    given = ["--from", saved] if words == ["nvidia:7"] else []
    code, out, errors = accel("ps", *words, *given)
    assert (code, out) == (2, "")
    assert sentence in errors
    assert len(errors.splitlines()) == 1


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({}, ""),
        ({"unit": "session-3.scope"}, ""),
        ({"unit": "ollama.service"}, "ollama.service"),
        ({"role": "MPS server"}, "MPS server"),
        ({"container": "0123456789abcdef", "engine": "docker"}, "docker 0123456789ab"),
        ({"container": "01", "container_name": "web", "engine": "podman"}, "podman web"),
        ({"pod_uid": "12345678-1234"}, "pod 12345678"),
        ({"ray_task": "Trainer.fit", "scheduler": "slurm", "job": "9"}, "ray Trainer.fit, slurm 9"),
    ],
)
def test_to_whom_a_process_belongs_is_said_nearest_first(facts: dict[str, str], text: str) -> None:
    assert belongs_to(RunningProcess(pid=1, **facts)) == text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("start", "text"),
    [
        ("2026-11-22T11:59:20Z", "40 s"),
        ("2026-11-22T11:58:00Z", "2 min"),
        ("2026-11-20T11:00:00Z", "2 d"),
        (None, "?"),
        ("soon", "?"),
    ],
)
def test_how_long_it_runs_is_one_number(start: str | None, text: str) -> None:
    assert since_text(start, datetime(2026, 11, 22, 12, tzinfo=timezone.utc)) == text


@pytest.mark.parametrize(
    ("numbers", "text"), [((0, 1, 2, 3), "nvidia:0-3"), ((0, 2), "nvidia:0,2"), ((1,), "nvidia:1")]
)
def test_a_worker_that_has_every_node_open_is_one_line(numbers: tuple[int, ...], text: str, tmp_path: Path) -> None:
    devices = tuple(replace(GPU, id=f"nvidia:{n}", index=n, uuid=None, processes=()) for n in numbers)
    holders = tuple(Holder(backend="nvidia", device=d.id, process=WORKER, listed=False) for d in devices)
    report = Report(backend="nvidia", source="nvml", devices=devices)
    file = tmp_path / "node.json"
    file.write_text(encode_snapshot(replace(SAVED, reports=(report,), holdings=replace(HELD, holders=holders))))
    _, out, _ = accel("ps", "--from", str(file))
    assert [line.split()[0] for line in out.splitlines() if " 41901 " in line] == [text]
