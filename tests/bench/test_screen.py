"""What `accel bench` prints: a line a measure with its share, what limited it, why a figure is missing, changes."""

import json
from pathlib import Path
from typing import Any

import pytest

from accel.apps import bench as benches
from accel.apps.cli import bench as command
from accel.apps.cli.parsing import share
from accel.apps.render.bench_text import bench_lines, comparison_lines, value_text
from accel.measure.bench.records import Bench, Benched, Framework, Limit, Measure
from accel.measure.bench.saved import encoded
from accel.model.dataclass import replace

_POWER = Limit(
    cause="power",
    text="Power: it drew 298 W of 300 W allowed (its product has 700 W); its clock was at 1,200 MHz of 1,980 MHz.",
)


def _measure(name: str, kind: Any, value: float | None, peak: float | None = None, **more: Any) -> Measure:
    share = round(value / peak, 4) if value and peak else None
    state = more.pop("state", "measured")
    return Measure(
        name=name, kind=kind, device="nvidia:0", state=state, value=value, best=value, spread=0.012, runs=30,
        peak=peak, share=share, **more,
    )  # fmt: skip


H100 = Bench(
    accel="0.1.0",
    started="2026-11-29T08:12:49Z",
    seconds=61.4,
    quick=False,
    frameworks=(Framework(name="torch", version="2.9.0+cu128", build="cuda 12.8"),),
    devices=(
        Benched(
            id="nvidia:0", name="NVIDIA H100 80GB HBM3", kind="gpu", driver_version="570.86", power_limit_watts=300.0
        ),
    ),
    measures=(
        _measure(
            "matmul bf16", "matmul", 3.07e14, 9.894e14, unit="operations/s", limited_by=(_POWER,), reached=7.945e14
        ),
        _measure("matmul int8", "matmul", 6.9e14, 1.9789e15, unit="operations/s", limited_by=(_POWER,)),
        _measure("matmul fp8", "matmul", None, state="failed", reason="RuntimeError: no kernel. Why:  accel doctor"),
        _measure("memory triad", "memory", 2.97e12, 3.352e12),
        _measure("host to device, pinned", "transfer", 5.41e10, 6.302e10),
        _measure("device to device", "peer", None, state="not-run", others=("nvidia:1",)),
        _measure("launch", "launch", 4.1e-6, unit="s", extra={"round_trip_seconds": 8.3e-6}),
        _measure("storage read", "storage", 2.1e9, extra={"page_cache_bytes_per_second": 9.8e9}),
    ),
    notes=("nvidia:0: A power limit of 300 W is in force.",),
)
SCREEN = """\
Benchmark, full, 61 s · torch 2.9.0+cu128 (cuda 12.8) · 2026-11-29T08:12:49Z

nvidia:0  NVIDIA H100 80GB HBM3 · driver 570.86 · power limit 300 W
  matmul bf16               307 TFLOPS   ±1%  ██████░░░░░░░░░░░░  31% of 989 TFLOPS  published 80%
  matmul int8                 690 TOPS   ±1%  ██████░░░░░░░░░░░░  35% of 1.98 POPS
  memory triad               2.97 TB/s   ±1%  ████████████████░░  89% of 3.35 TB/s
  host to device, pinned     54.1 GB/s   ±1%  ███████████████░░░  86% of 63 GB/s
  launch                        4.1 µs   ±1%  8.3 µs with the wait
  storage read                2.1 GB/s   ±1%  9.8 GB/s from the page cache
  Limited by power: it drew 298 W of 300 W allowed (its product has 700 W); its clock was at 1,200
    MHz of 1,980 MHz. (matmul bf16, matmul int8)
  Failed: matmul fp8. RuntimeError: no kernel. Why:  accel doctor
  Not run: device to device. It was not reached.
Note: nvidia:0: A power limit of 300 W is in force.
"""


def test_the_screen_has_a_line_a_measure_and_then_the_reasons() -> None:
    assert "".join(f"{line}\n" for line in bench_lines(H100, 100)) == SCREEN


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_no_sentence_is_wider_than_the_page(width: int) -> None:
    rows = [line for line in bench_lines(H100, width) if "█" not in line and "±" not in line]
    assert all(len(line) <= max(width, 45) for line in rows)


def test_an_interrupted_benchmark_says_so() -> None:
    lines = list(bench_lines(replace(H100, ended_by="interrupt"), 100))
    assert lines[-1] == "Interrupted: showing what was measured until then."


def test_a_comparison_names_the_worst_first_and_what_else_differs() -> None:
    slower = replace(H100.measures[0], value=2.0e14)
    newer = replace(H100, quick=True, measures=(slower, *H100.measures[1:]))
    lines = list(comparison_lines(H100, newer, benches.compare(H100, newer), 100))
    assert lines[1:3] == [
        "Compared with 2026-11-29T08:12:49Z",
        "  slower: matmul bf16, nvidia:0: 307 TFLOPS -> 200 TFLOPS (35% slower, noise 3%)",
    ]
    assert lines[-1] == "  Unlike: One of the two was made with --quick, whose runs are shorter."


def test_figures_are_printed_in_the_units_of_the_field() -> None:
    assert value_text(1.9789e15, "operations/s", "matmul int8") == "1.98 POPS"
    assert value_text(0.0123, "s") == "12.3 ms"
    assert value_text(None, "bytes/s") == "?"


@pytest.mark.parametrize(
    ("made", "least", "code"),
    [
        (H100, None, 0),
        (H100, 0.3, 0),
        (H100, 0.8, 1),
        (replace(H100, measures=H100.measures[-2:]), 0.8, 3),
        (replace(H100, measures=H100.measures[2:3]), None, 3),
        (replace(H100, ended_by="interrupt"), 0.3, 130),
    ],
    ids=["measured", "above", "below", "no-peak-known", "nothing-measured", "interrupted"],
)
def test_the_exit_code_is_an_acceptance_test(made: Bench, least: float | None, code: int) -> None:
    assert command._code(made, (), least) == code


def test_a_regression_against_the_saved_one_is_a_1() -> None:
    newer = replace(H100, measures=(replace(H100.measures[0], value=2.0e14),))
    assert command._code(newer, benches.compare(H100, newer), None) == 1


def test_the_command_measures_without_a_framework_and_saves_what_it_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "today.json"
    words = ["cpu:0", "--quick", "--only", "memory", "--json", "--save", str(saved), "--storage", str(tmp_path)]
    assert command.run(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["host"] is None  # a file that is sent to somebody names this machine only with --identifiers
    assert told["schema"] == "accel.bench/1"
    assert {one["name"] for one in told["measures"]} >= {"memory write", "memory copy"}
    assert all(one["value"] > 0 for one in told["measures"] if one["state"] == "measured")
    assert benches.read(str(saved)).measures[0].name == told["measures"][0]["name"]
    assert encoded(benches.read(str(saved))) == saved.read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--only", "gpu"], "'gpu' is no measure. Give some of: matmul, memory,"),
        (["--compare", "nowhere.json"], "nowhere.json: No such file or directory. Make one:  accel bench --save"),
        (["--python", "/nowhere"], "/nowhere: there is no Python. Give an interpreter"),
        (["--save", "/nowhere/today.json"], "/nowhere/today.json cannot be written, so nothing was measured."),
        (["nvidia:17"], "No device 'nvidia:17' is on this machine."),
    ],
)
def test_what_cannot_be_used_is_a_sentence(words: list[str], says: str) -> None:
    from accel.model.errors import AccelError

    with pytest.raises(AccelError) as refused:
        command.run(words)
    assert says in str(refused.value)


def test_a_share_is_a_part_or_a_percentage() -> None:
    assert share("0.8") == share("80%") == 0.8
