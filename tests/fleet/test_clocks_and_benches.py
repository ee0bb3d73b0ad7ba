"""Clocks that are wrong, and what benchmarks measured: both beside the nodes' answers."""

import json
from pathlib import Path
from typing import Any

import pytest
from made_nodes import device, node

from accel.fleet import NodeAnswer
from accel.fleet.merging import merge
from accel.fleet.model import NodeBench, NodeDevice
from accel.fleet.node import node_line
from accel.fleet.reading import Answers
from accel.model.errors import BadInput
from accel.plugins.registry import Registry

EIGHT = "2026-11-29T08:00:00Z"


def taken(name: str, taken_at: str, seen_at: str = EIGHT, **more: Any) -> NodeAnswer:
    return node(name, taken_at=taken_at, seen_at=seen_at, **more)


def at_once(count: int = 5) -> list[NodeAnswer]:
    return [taken(f"n{number}", f"2026-11-29T07:59:5{number}Z") for number in range(count)]


@pytest.mark.parametrize(
    ("answers", "notes"),
    [
        (at_once(), ()),
        ([taken("a", "2026-11-29T10:00:00Z")], ("a: its clock is 2.0 h ahead.",)),
        ([taken("a", "2026-11-29T08:01:00Z")], ()),
        ([taken("a", "2026-11-29T06:00:00Z")], ()),  # its file may have been copied since
        (
            [*at_once(), taken("a", "2026-11-26T08:00:00Z")],
            ("a: its clock is 3.0 d behind, or its answer is older than its peers'.",),
        ),
        ([taken(f"n{n}", "2026-11-28T08:00:00Z") for n in range(9)], ()),  # a round that was copied as a whole
        (
            [taken(f"n{n}", "2026-11-29T09:00:00Z") for n in range(9)],
            ("9 of 9 nodes' times are ahead of this clock: check this clock first.",),
        ),
        ([taken("a", "no time"), taken("b", "2026-11-29T09:00:00"), node("c")], ("b: its clock is 60 min ahead.",)),
    ],
)
def test_a_clock_that_is_off_is_noted_with_its_size(answers: list[NodeAnswer], notes: tuple[str, ...]) -> None:
    assert merge(answers).notes == notes


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (taken("a", "2026-11-29T07:00:00Z"), taken("a", "2026-11-29T07:30:00Z")),
        # The clock was days ahead when the older was taken, and was set right.
        (taken("a", "2026-12-05T07:00:00Z", "2026-11-29T07:00:00Z"), taken("a", "2026-11-29T07:59:00Z")),
        # A diagnosis tells no time: its file does.
        (taken("a", "", "2026-11-29T07:00:00Z"), taken("a", "2026-11-29T07:59:00Z")),
        (taken("a", EIGHT, source="a/1.json"), taken("a", EIGHT, source="a/2.json")),
    ],
)
def test_the_newer_of_two_answers_counts_whatever_the_clock(older: NodeAnswer, newer: NodeAnswer, turned: bool) -> None:
    merged = merge([newer, older] if turned else [older, newer])
    assert merged.rows == (newer,)
    assert merged.notes[0] == "a answered 2 times: the newest counts."


def test_the_time_of_a_file_is_compared_with_what_it_says(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(node_line(node("a", taken_at="2999-01-01T00:00:00Z")))
    (answer,) = Answers([str(path)], lambda: Registry({}))
    assert isinstance(answer, NodeAnswer)
    assert (answer.seen_at or "")[:2] == "20"
    assert "ahead" in merge([answer]).notes[0]


def bench(host: str | None, share: float, **more: Any) -> dict[str, Any]:
    measures = [
        {
            "name": "matmul bf16",
            "kind": "matmul",
            "state": "measured",
            "unit": "operations/s",
            "value": share,
            "peak": 1,
        },
        {"name": "memory triad", "kind": "memory", "state": "measured", "unit": "bytes/s", "value": 2e12, "peak": None},
        {"name": "launch", "kind": "launch", "state": "measured", "unit": "s", "value": 5e-6, "peak": None},
        {"name": "host to device", "kind": "transfer", "state": "failed", "unit": "bytes/s", "value": None, "peak": 1},
    ]
    measures = [{**one, "device": "nvidia:0", "others": []} for one in measures]
    devices = [{"id": "nvidia:0", "name": "NVIDIA H100", "kind": "gpu"}]
    made = {"schema": "accel.bench/1", "accel": "0.1.0", "started": EIGHT, "quick": False, "host": host}
    return {**made, "devices": devices, "measures": measures, **more}


def read(folder: Path) -> tuple[list[Any], list[str]]:
    answers = Answers([str(folder)], lambda: Registry({}))
    return list(answers), answers.problems


def test_a_slow_device_by_its_saved_benchmark_is_an_outlier_of_its_node(tmp_path: Path) -> None:
    for number in range(10):
        host = f"gpu{number}"
        (tmp_path / f"{host}.json").write_text(node_line(node(host, devices=[device(0, power_watts=600.0)])))
        told = bench(host if number % 2 else None, 0.6 if number == 3 else 0.9 + number / 1000)
        where = tmp_path / ("benches" if number % 2 else host) / f"bench{number if number % 2 else ''}.json"
        where.parent.mkdir(exist_ok=True)
        where.write_text(json.dumps(told, indent=1))
    found, problems = read(tmp_path)
    merged = merge(found)
    assert problems == []
    assert (merged.asked, merged.totals["ok"]) == (10, 10)
    (one,) = merged.outliers
    assert (one.node, one.device, one.reading, one.value) == ("gpu3", "nvidia:0", "matmul bf16_percent", 60.0)
    first = next(row for row in merged.rows if row.node == "gpu0").devices[0]
    assert dict(first.readings) == {"power_watts": 600.0, "matmul bf16_percent": 90.0, "memory triad_gigabytes": 2000.0}


def test_a_faster_device_is_no_outlier() -> None:
    benches = [
        NodeBench(node=f"n{n}", devices=(NodeDevice(id="x:0", readings={"m_percent": 90.0 if n else 99.0}),))
        for n in range(9)
    ]
    assert merge(benches).outliers == ()


def test_a_node_of_which_there_is_a_benchmark_alone_is_partly_looked_at(tmp_path: Path) -> None:
    (tmp_path / "bench.json").write_text(json.dumps(bench("gpu1", 0.9)))
    merged = merge(read(tmp_path)[0])
    assert merged.totals["partial"] == 1
    assert "only a benchmark" in (merged.rows[0].why or "")


@pytest.mark.parametrize(
    "change", [{"schema": "accel.bench/2"}, {"devices": 3}, {"measures": [{}]}, {"started": None}, {"devices": [{}]}]
)
def test_a_benchmark_that_is_none_is_named(change: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text(json.dumps({**bench("gpu1", 0.9), **change}))
    found, problems = read(tmp_path)
    assert (found == []) == bool(problems)
    if change != {"started": None}:
        assert "b.json" in problems[0]


def test_of_two_benchmarks_of_a_node_the_newer_counts() -> None:
    def one(at: str, value: float) -> NodeBench:
        return NodeBench(node="a", taken_at=at, devices=(NodeDevice(id="x:0", readings={"m_percent": value}),))

    for benches in ([one("2026-11-01", 1.0), one("2026-11-02", 2.0)], [one("2026-11-02", 2.0), one("2026-11-01", 1.0)]):
        assert merge(benches).rows[0].devices[0].readings == {"m_percent": 2.0}


def test_only_bad_input_is_raised(tmp_path: Path) -> None:
    from accel.fleet.reading import bench_of

    with pytest.raises(BadInput, match=r"^x: "):
        bench_of('{"schema": "accel.bench/1", "host": [', "x", "x")
