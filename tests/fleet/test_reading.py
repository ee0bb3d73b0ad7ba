"""What nodes wrote, in any form: all that can be read is merged, and every file that cannot is named."""

import gzip
import io
import json
import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_nodes import device, document, node, written

from accel.fleet import NodeAnswer, reading, second_reader
from accel.fleet.merging import merge
from accel.fleet.node import decode_node, node_line
from accel.fleet.reading import Answers
from accel.model.errors import BadInput
from accel.plugins.registry import Registry

SNAPSHOT = {"schema": "accel.snapshot/1", "taken_at": "2026-11-29T08:00:00Z", "host": {"name": "gpu1", "kernel": "6.8"}}
DIAGNOSIS = {
    "schema": "accel.diagnosis/1",
    "verdict": "faults",
    "findings": [{"code": "NV006", "name": "row-remap", "severity": "error", "title": "nvidia:3 is ill"}],
    "devices": [{"id": "nvidia:3", "kind": "gpu", "name": "NVIDIA H100"}, {"id": "cpu:0", "kind": "cpu"}],
}


def read(*paths: Path | str) -> tuple[dict[str, NodeAnswer], list[str]]:
    answers = Answers([str(path) for path in paths], lambda: Registry({}))
    return {answer.node: answer for answer in answers}, answers.problems


def line(name: str) -> bytes:
    return node_line(node(name, "x", devices=[device(0, power_watts=600.5)])).encode()


def test_a_line_is_read_as_it_was_written() -> None:
    answer = node("a", "nvidia:3 is ill", devices=[device(0, power_watts=600.5)], place={"rack": "1"}, gaps=("x: y",))
    assert decode_node(node_line(answer), "there") == answer


def packed(kind: str, data: bytes) -> bytes:
    if kind.endswith(".gz"):
        return gzip.compress(data)
    if kind.endswith(".zst"):
        zstandard = pytest.importorskip("zstandard", reason="zstandard of the extra fleet is not installed")
        return bytes(zstandard.ZstdCompressor().compress(data))
    return data


@pytest.mark.parametrize("kind", [".json", ".jsonl", ".ndjson", ".jsonl.gz", ".json.gz", ".jsonl.zst", ".txt"])
def test_lines_are_read_from_any_packing(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"all{kind}"
    path.write_bytes(packed(kind, line("a") + b"\n" + line("b")))
    found, problems = read(path)
    assert (sorted(found), problems) == (["a", "b"], [])


@pytest.mark.parametrize("indent", [None, 1])
def test_snapshots_and_diagnoses_are_read_from_files_and_folders(tmp_path: Path, indent: int | None) -> None:
    (tmp_path / "gpu9").mkdir()
    for path, made in (("snap.json", SNAPSHOT), ("gpu2.json", DIAGNOSIS), ("gpu9/doctor.json", DIAGNOSIS)):
        (tmp_path / path).write_text(json.dumps(made, indent=indent))
    (tmp_path / "notes.txt").write_text("not read: it is no .json")
    found, problems = read(tmp_path)
    assert (sorted(found), problems) == (["gpu1", "gpu2", "gpu9"], [])
    assert found["gpu1"].versions == {"kernel": "6.8"}
    assert [finding.fingerprint for finding in found["gpu2"].findings] == ["NV006 DEVICE is ill"]
    assert [one.id for one in found["gpu2"].devices] == ["nvidia:3"]


def test_snapshots_whose_names_were_replaced_are_told_apart_by_their_files(tmp_path: Path) -> None:
    made = {**SNAPSHOT, "host": {"name": "host-1"}}
    for name in ("gpu1", "gpu2"):
        (tmp_path / f"{name}.json").write_text(json.dumps(made))
    assert sorted(read(tmp_path)[0]) == ["gpu1", "gpu2"]


def test_several_snapshots_in_one_stream_are_lines(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    made = [json.dumps({**SNAPSHOT, "host": {"name": name}}) for name in ("a", "b")]
    path.write_text("\n".join(made))
    assert sorted(read(path)[0]) == ["a", "b"]


HALF = line("half")[:70]
BAD = {
    "half.json": (HALF, "half.json"),
    "empty.json": (b" \n", "is empty"),
    "newer.json": (line("n").replace(b"accel.node/1", b"accel.node/2"), "newer accel"),
    "newer_diagnosis.json": (json.dumps({**DIAGNOSIS, "schema": "accel.diagnosis/7"}).encode(), "newer accel"),
    "newer_snapshot.json": (json.dumps({**SNAPSHOT, "schema": "accel.snapshot/9"}).encode(), "accel.snapshot/9"),
    "list.json": (b"[1, 2]", "neither a snapshot"),
    "other.json": (b'{"a": 1}', "neither a snapshot"),
    "deep.json": (b"[" * 100_000, "deep.json"),
    "wrong.json": (line("w").replace(b'"state": "ill"', b'"state": "splendid"'), "state"),
    "finding.json": (json.dumps({**DIAGNOSIS, "findings": [{"code": "X"}]}).encode(), "is incomplete"),
    "bytes.json": (b"\xff\xfe\x00", "bytes.json"),
    "no.json.gz": (b"no gzip", "no.json.gz"),
    "cut.json.gz": (gzip.compress(line("c") * 50)[:-20], "cut.json.gz"),
    "body.json.gz": (gzip.compress(line("c"))[:12] + b"\xff" * 40, "body.json.gz"),
    "no.json.zst": (b"no zstd", "no.json.zst"),
}


def test_every_file_that_cannot_be_read_is_named_and_the_rest_is_merged(tmp_path: Path) -> None:
    for name, (data, _) in BAD.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "fine.json").write_bytes(line("fine"))
    os.mkfifo(tmp_path / "pipe.json")
    found, problems = read(tmp_path, tmp_path / "nowhere.json")
    assert "fine" in found
    for name, (_, said) in {**BAD, "pipe.json": (b"", "pipe.json"), "nowhere.json": (b"", "No such file")}.items():
        (problem,) = [one for one in problems if f"/{name}" in one]
        assert said in problem, problem
        assert "\n" not in problem


def test_a_bad_line_costs_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    path.write_bytes(line("a") + HALF + b"\n" + line("b"))
    found, (problem,) = read(path)
    assert sorted(found) == ["a", "b"]
    assert "all.jsonl, line 2" in problem


def test_a_folder_without_answers_says_so(tmp_path: Path) -> None:
    assert read(tmp_path) == ({}, [f"{tmp_path}: contains no .json, .jsonl, .ndjson file."])


def test_a_folder_of_many_files_is_read_one_at_a_time(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number}.json").write_bytes(line(f"n{number}"))
    answers = iter(Answers([str(tmp_path)], lambda: Registry({})))
    next(answers)
    for path in tmp_path.iterdir():
        path.unlink()
    assert list(answers) == []  # none was read ahead


def test_memory_stays_small_however_much_is_read(tmp_path: Path) -> None:
    answer = document(node("x", "nvidia:3 is ill", devices=[device(n, power_watts=600.0) for n in range(8)]))

    def lines() -> Iterator[str]:
        for number in range(2000):
            yield json.dumps({**answer, "node": f"n{number}", "evidence": "e" * 10_000}) + "\n"

    path = tmp_path / "all.jsonl"
    with path.open("w") as file:
        file.writelines(lines())
    tracemalloc.start()
    merged = merge(Answers([str(path)], lambda: Registry({})))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert merged.totals["ill"] == 2000
    assert peak < 15_000_000 < path.stat().st_size


@pytest.mark.parametrize("helper", ["helps", "cannot be started", "ends at once", "says nonsense"])
def test_many_snapshots_are_read_by_two_processes_or_by_one(
    helper: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 90
    for number in range(count):
        (tmp_path / f"n{number}.json").write_text(json.dumps({**SNAPSHOT, "host": {"name": f"n{number}"}}, indent=1))
    for name in ("half.json", "newer_snapshot.json"):
        (tmp_path / name).write_bytes(BAD[name][0])
    monkeypatch.setattr(reading, "_ALONE", 3)
    monkeypatch.setattr(reading, "_WORTH_A_SECOND", 9)
    monkeypatch.setattr(reading, "_CHUNK", 4)
    monkeypatch.setattr(reading, "_processors", lambda: 2)
    if helper == "cannot be started":
        monkeypatch.setattr("sys.executable", str(tmp_path / "no-python"))
    elif helper != "helps":
        program = "import sys\nsys.stdin.readline()\nprint('[3]')" if helper == "says nonsense" else "pass"
        monkeypatch.setattr(second_reader, "_START", program)
    answers = list(Answers([str(tmp_path)], lambda: Registry({})))
    assert sorted(answer.node for answer in answers) == sorted(f"n{number}" for number in range(count))
    assert {answer.source for answer in answers} == {str(tmp_path / f"n{number}.json") for number in range(count)}
    found, problems = read(tmp_path)
    assert len(found) == count
    assert [Path(one.partition(".json")[0]).name for one in problems] == ["half", "newer_snapshot"]


def test_stdin_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_bytes(line("a") + line("b"))
    with path.open("rb") as file:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(file))
        assert sorted(read("-")[0]) == ["a", "b"]


@pytest.mark.parametrize("change", [{"taken_at": None}, {"devices": []}, {"unknown": {"of": "a newer release"}}])
def test_a_line_with_more_or_less_is_read(change: dict[str, Any]) -> None:
    assert decode_node(json.dumps({**document(node("a")), **change}), "there").node == "a"


def test_a_number_too_large_is_refused_or_shown(tmp_path: Path) -> None:
    path = written(tmp_path, {"a.json": node("a", devices=[device(0, power_watts=1.5)])}) / "a.json"
    path.write_text(path.read_text().replace("1.5", "1e999"))
    found, problems = read(path)
    assert not found or merge(found.values()).asked == 1
    assert found or problems


def test_a_document_that_is_none_is_refused_with_its_name() -> None:
    with pytest.raises(BadInput, match=r"^gpu7: "):
        decode_node(b"{", "gpu7")
