"""A saved benchmark as facts: the doctor judges by it, a report shows it; what is none is refused in a sentence."""

import json
import re
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import accel
from accel.apps.cli import main
from accel.apps.render.roofline_svg import Roof, roofline_svg
from accel.measure.bench.facts import snapshot_of
from accel.measure.bench.records import Bench, Benched, Conditions, Framework, Limit, Measure, Range
from accel.measure.bench.saved import decoded, encoded
from accel.model.codec import encode_snapshot
from accel.model.dataclass import replace
from accel.model.device import Device
from accel.model.errors import BadInput

TYPES: dict[str, type[Device]] = {"nvidia": Device, "acme": Device}
LOADED = Conditions(
    samples=40,
    clock_mhz=Range(low=1100, median=1200, high=1300),
    power_watts=Range(low=280, median=298, high=301),
    power_limit_watts=300.0,
    temperature_celsius=Range(low=50, median=58, high=61),
    clock_event_reasons={"sw-power-cap": 0.9, "sw-thermal-slowdown": 0.05},
)
POWER = Limit(cause="power", text="Power: it drew 298 W of 300 W allowed (its product has 700 W).")
H100 = Benched(
    id="nvidia:0",
    name="NVIDIA H100 80GB HBM3",
    kind="gpu",
    architecture="hopper",
    driver_version="580.95.05",
    power_limit_watts=300.0,
    product="H100 SXM5 80GB",
)
MATMUL = Measure(
    name="matmul bf16",
    kind="matmul",
    device="nvidia:0",
    state="measured",
    unit="operations/s",
    value=3.07e14,
    best=3.1e14,
    spread=0.01,
    runs=30,
    peak=9.894e14,
    share=0.3103,
    conditions=LOADED,
    limited_by=(POWER,),
)
TRIAD = replace(
    MATMUL, name="memory triad", kind="memory", unit="bytes/s", value=2.97e12, peak=3.352e12, share=0.886, limited_by=()
)
BENCH = Bench(
    accel="0.1.0",
    started="2026-11-29T08:12:49Z",
    seconds=61.4,
    quick=False,
    frameworks=(Framework(name="torch", version="2.9.0+cu128", build="cuda 12.8"),),
    devices=(H100,),
    measures=(MATMUL, TRIAD),
)


def saved(folder: Path, bench: Bench, name: str = "bench.json") -> str:
    path = folder / name
    path.write_text(encoded(bench), encoding="utf-8")
    return str(path)


def findings(capsys: pytest.CaptureFixture[str], *files: str) -> dict[str, Any]:
    capsys.readouterr()
    main(["doctor", "--json", "--from", *files])
    answer = json.loads(capsys.readouterr().out)
    return {one["name"]: one for one in answer["findings"]}


def test_each_measure_is_a_fact_of_its_device_which_has_the_readings_of_its_slowest_measure() -> None:
    snapshot = snapshot_of(BENCH, "bench.json", TYPES)
    (device,) = snapshot.devices
    facts = [dict(one.values) for one in snapshot.observations]  # type: ignore[attr-defined]
    assert (device.power_watts, device.power_limit_watts, device.temperature_celsius) == (298, 300, 61)
    assert [(one["measure"], one["share"], one.get("limited_by")) for one in facts] == [
        ("matmul bf16", "0.3103", "power"),
        ("memory triad", "0.8860", None),
    ]
    assert (snapshot.taken_at, snapshot.environments[0].frameworks[0].cuda_version) == (BENCH.started, "12.8")


def test_the_share_is_reckoned_and_not_believed() -> None:
    lying = replace(BENCH, measures=(replace(MATMUL, share=0.99),))
    assert dict(snapshot_of(lying, "x", TYPES).observations[0].values)["share"] == "0.3103"  # type: ignore[attr-defined]


def test_devices_of_no_backend_listed_twice_or_not_at_all_are_gaps() -> None:
    odd = ("nvidia:0; rm -rf /", "unheard:0", "\x1b[31m", "nvidia:99999999", "")
    devices = (H100, H100, *(replace(H100, id=name) for name in odd))
    measures = (MATMUL, *(replace(MATMUL, device=name) for name in (*odd, "nvidia:7")))
    snapshot = snapshot_of(replace(BENCH, devices=devices, measures=measures), "x", TYPES)
    assert [device.id for device in snapshot.devices] == ["nvidia:0"]
    assert len(snapshot.observations) == 1
    strange = replace(
        BENCH, measures=(replace(MATMUL, name="matmul bf16; \x1b[2J$(id)"), replace(TRIAD, others=("`id`",)))
    )
    assert snapshot_of(strange, "x", TYPES).observations == ()
    assert len(snapshot.gaps) == 1 + len(odd) + 1
    assert not any("\x1b" in gap.fact for gap in snapshot.gaps)


def test_the_doctor_says_what_was_reached_what_held_it_down_and_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = findings(capsys, saved(tmp_path, BENCH))["benchmark-below-usual"]
    assert found["title"] == "nvidia:0: bf16 reaches 31 % of the peak while power is capped at 300 W of 700 W"
    assert found["is_cause"]
    assert "default power limit" in found["remedies"][0]["text"]


def test_where_the_driver_told_the_default_its_own_check_has_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = replace(BENCH, devices=(replace(H100, power_default_watts=700.0),))
    found = findings(capsys, saved(tmp_path, told))
    assert found["power-capped"]["remedies"][0]["command"] == "sudo nvidia-smi -i 0 -pl 700"
    assert found["benchmark-below-usual"]["explained_by"] == ["power-capped"]


def test_among_several_files_it_is_of_the_same_machine_and_the_latest_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.txt"
    report.write_text("GPU 0: NVIDIA H100 80GB HBM3\nNvidia driver version: 580.95.05\n", encoding="utf-8")
    mended = replace(BENCH, started="2026-11-29T09:00:00Z", measures=(replace(MATMUL, value=7.8e14, limited_by=()),))
    older, newer = saved(tmp_path, BENCH), saved(tmp_path, mended, "newer.json")
    assert findings(capsys, str(report), older)["benchmark-below-usual"]["devices"] == ["nvidia:0"]
    assert "benchmark-below-usual" not in findings(capsys, str(report), newer, older)


def test_a_device_that_reaches_what_is_usual_has_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    usual = replace(BENCH, measures=(replace(MATMUL, value=7.5e14), TRIAD))
    assert {
        name for name, one in findings(capsys, saved(tmp_path, usual)).items() if one["severity"] != "info"
    } == set()


def test_python_reads_a_benchmark_as_it_reads_a_snapshot(tmp_path: Path) -> None:
    assert [one.name for one in accel.read(saved(tmp_path, BENCH)).devices] == ["NVIDIA H100 80GB HBM3"]


def _with(change: Callable[[dict[str, Any]], object]) -> str:
    data = json.loads(encoded(BENCH))
    change(data)
    return json.dumps(data)


HOSTILE = {
    "newer": (_with(lambda d: d.update(schema="accel.bench/2")), "Upgrade"),
    "far newer": (_with(lambda d: d.update(schema="accel.bench/" + "9" * 400)), "expected a benchmark"),
    "cut": (encoded(BENCH)[:700], "not a complete JSON document"),
    "a text for a number": (_with(lambda d: d["measures"][0].update(value="fast")), "value"),
    "below zero": (_with(lambda d: d["measures"][0].update(value=-1.0)), "cannot have been measured"),
    "beyond all": (_with(lambda d: d["measures"][0].update(value=1e300)), "cannot have been measured"),
    "a long number": (
        _with(lambda d: d.update(seconds=1)).replace('"seconds": 1', '"seconds": ' + "9" * 5000),
        "bench",
    ),
    "an unknown cause": (_with(lambda d: d["measures"][0]["limited_by"][0].update(cause="gnomes")), "cause"),
    "a long text": (_with(lambda d: d["devices"][0].update(name="A" * 5000)), "characters long"),
    "many devices": (_with(lambda d: d.update(devices=d["devices"] * 2000)), "more than any machine has"),
    "many reasons": (
        _with(lambda d: d["measures"][0]["conditions"].update(clock_event_reasons={str(n): 0.1 for n in range(2000)})),
        "members",
    ),
    "deep": ('{"schema": "accel.bench/1", "measures": ' + "[" * 5000, "not a complete JSON document"),
    "no measures": (_with(lambda d: d.update(measures={})), "measures"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_benchmark_is_refused_in_a_sentence(name: str) -> None:
    text, said = HOSTILE[name]
    with pytest.raises(BadInput, match=re.escape(said)) as refused:
        decoded(text, "bench.json")
    assert len(str(refused.value)) < 500


def test_the_doctor_refuses_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bench.json"
    path.write_text(HOSTILE["newer"][0], encoding="utf-8")
    assert main(["doctor", "--from", str(path)]) == 2
    assert "accel.bench/2" in capsys.readouterr().err


def test_a_report_has_a_chapter_with_bars_and_a_roofline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = replace(MATMUL, name="matmul <script>", limited_by=(Limit(cause="heat", text="Heat: <b>95</b> °C."),))
    path = saved(tmp_path, replace(BENCH, measures=(*BENCH.measures, script)))
    assert main(["report", "--no-restrictions", "--from", path, "--bench", path]) == 0
    chapter = capsys.readouterr().out.partition("## Benchmark")[2].partition("\n## ")[0]
    assert "| matmul bf16 | `██████░░░░░░░░░░░░░░` | 31% of 989 TFLOPS |" in chapter
    assert "memory 2.97 TB/s of 3.35 TB/s; bf16 307 TFLOPS of 989 TFLOPS" in chapter
    assert POWER.text in chapter
    assert main(["report", "--no-restrictions", "--from", path, "--bench", path, "--format", "html"]) == 0
    page = capsys.readouterr().out
    assert "<script>" not in page
    pictures = [b64decode(one) for one in re.findall(r"svg\+xml;base64,([^\"]+)", page)]
    titles = [ElementTree.fromstring(one).findtext("{http://www.w3.org/2000/svg}title") for one in pictures]
    assert titles == ["Roofline of nvidia:0"]


def test_a_report_on_devices_of_its_own_is_judged_by_a_benchmark_of_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    snapshot = snapshot_of(replace(BENCH, measures=()), "x", TYPES)
    path = tmp_path / "snapshot.json"
    path.write_text(encode_snapshot(snapshot), encoding="utf-8")
    other = replace(BENCH, devices=(replace(H100, name="GeForce RTX 4090"),))
    for bench, judged in ((BENCH, True), (other, False)):
        main(["report", "--no-restrictions", "--from", str(path), "--bench", saved(tmp_path, bench)])
        assert ("bf16 reaches 31 % of the peak" in capsys.readouterr().out) is judged


@pytest.mark.parametrize("peak", [None, 3.4e12])
@pytest.mark.parametrize("reached", [1.0, 3e9, 9e17])
def test_a_roofline_stays_within_its_picture(reached: float, peak: float | None) -> None:
    drawn = roofline_svg("R & D", peak, 2.9e12, [Roof("bf16", peak and reached * 3, reached), Roof("int8", None, 5e14)])
    svg = ElementTree.fromstring(drawn)
    lines = [one.get("points", "") for one in svg.iter("{http://www.w3.org/2000/svg}polyline")]
    places = [tuple(map(float, point.split(","))) for line in lines for point in line.split()]
    assert len(lines) == (3 if peak else 2)
    assert all(0 <= x <= 720 and 0 <= y <= 420 for x, y in places)
