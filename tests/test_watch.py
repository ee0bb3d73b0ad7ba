"""`accel watch` on simulated devices: what is written, where, and how it ends."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from accel.apps.cli import main
from accel.apps.render.columns import WATCHED, columns_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
PLUGIN = """
import os
from dataclasses import replace

from accel.vendors.contract.hookspecs import hookimpl
from accel.model.device import Device, Process
from accel.model.report import Report


def one(index):
    return Device(id=f"acme:{index}", index=index, backend="acme", vendor="Acme", kind="npu", name="Acme N1",
                  uuid=f"ACME-{index:08d}", memory_total_bytes=8 * 2**30)


class Backend:
    name, vendor, device_type = "acme", "Acme", Device
    def detect(self, machine): return True
    def probe(self, machine, request): return (Report(backend="acme", source="made up", devices=(one(0), one(1))),)
    def memory(self, machine, device_id): return None
    def processes(self, machine): return {}
    def visible(self, devices, variables): return devices
    def sample(self, machine, devices):
        held = (Process(pid=7, name="训练", memory_bytes=2**30),)
        return [replace(d, utilization_percent=97.0 - d.index, memory_used_bytes=2**30, power_watts=70.125,
                        temperature_celsius=None, processes=held) for d in devices]


@hookimpl
def accel_backend():
    return Backend()
"""


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with two devices of one vendor; the folder to write in."""
    (tmp_path / "accel_acme.py").write_text(PLUGIN, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("ACCEL_PLUGINS", "accel_acme")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("LD_LIBRARY_PATH", "")
    return tmp_path


@pytest.fixture
def watch(acme: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run `accel watch` in this process; return its exit code, stdout and stderr."""

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["watch", "--interval", "100ms", *words])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def test_where_output_is_kept_each_device_and_tick_is_a_line(watch: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = watch("--count", "2", "acme:0", "acme:1")
    lines = out.splitlines()
    assert code == 0
    assert lines[0].split()[:4] == ["time", "device", "busy", "saturated"]
    assert [line.split()[1] for line in lines[1:]] == ["acme:0", "acme:1"] * 2
    assert lines[1].split()[2:5] == ["97", "%", "-"]


def test_csv_has_units_in_its_head_and_nothing_for_what_is_not_known(
    watch: Callable[..., tuple[int, str, str]],
) -> None:
    _, out, _ = watch(
        "--count", "1", "--query", "id,utilization.gpu,power.draw,temperature.gpu,memory.used,saturation", "0"
    )
    assert list(csv.reader(StringIO(out))) == [
        ["id", "utilization.gpu [%]", "power.draw [W]", "temperature.gpu [C]", "memory.used [MiB]", "saturation [%]"],
        ["acme:0", "97.0", "70.12", "", "1024", ""],
    ]


def test_json_lines_tell_their_units_and_every_reading(watch: Callable[..., tuple[int, str, str]]) -> None:
    _, out, _ = watch("--count", "1", "--json", "acme:1")
    head, row = map(json.loads, out.splitlines())
    assert head["schema"] == "accel.readings/1"
    assert head["units"]["power_watts"] == "W"
    assert set(row) == set(head["fields"])
    assert (row["id"], row["busy_percent"], row["temperature_celsius"]) == ("acme:1", 96.0, None)
    assert row["processes"][0]["name"] == "训练"


def test_a_table_is_gone_on_with_where_its_head_is_the_same(
    watch: Callable[..., tuple[int, str, str]], acme: Path
) -> None:
    path = acme / "a.csv"
    for _ in range(2):
        assert watch("--count", "1", "--csv", str(path), "acme:0")[0] == 0
    path.write_text(path.read_text() + "2026-01-01T00:00:00.000Z,half a li")
    assert watch("--count", "1", "--csv", str(path), "acme:0")[0] == 0
    rows = list(csv.reader(StringIO(path.read_text())))
    assert rows[0] == [column.head for column in columns_of(None, WATCHED)]
    assert [row[2] for row in rows[1:]] == ["acme:0"] * 3
    code, _, told = watch("--count", "1", "--csv", str(path), "--query", "id", "acme:0")
    assert code == 2
    assert "exists with other columns" in told
    assert list(csv.reader(StringIO(path.read_text()))) == rows


def test_tables_rotate_and_each_begins_with_the_head(watch: Callable[..., tuple[int, str, str]], acme: Path) -> None:
    path = acme / "a.csv"
    watch("--count", "40", "--csv", str(path), "--rotate-size", "4096", "--rotate-keep", "2")
    assert sorted(one.name for one in acme.glob("a.csv*")) == ["a.csv", "a.csv.1", "a.csv.2"]
    for one in acme.glob("a.csv*"):
        rows = list(csv.reader(StringIO(one.read_text())))
        assert rows[0][0] == "timestamp"
        assert {len(row) for row in rows} == {len(rows[0])}
        assert one.stat().st_size <= 4096


def test_what_was_recorded_is_replayed_drawn_and_written_again(
    watch: Callable[..., tuple[int, str, str]], acme: Path
) -> None:
    record, picture = acme / "a.rec", acme / "a.svg"
    assert watch("--count", "3", "--record", str(record))[0] == 0
    code, out, _ = watch("--replay", str(record), "--json", "acme:1")
    rows = [json.loads(line) for line in out.splitlines()[1:]]
    assert (code, [row["id"] for row in rows]) == (0, ["acme:1"] * 3)
    assert watch("--replay", str(record), "--plot", str(picture))[0] == 0
    root = ET.parse(picture).getroot()
    assert "acme:0: busy 97 % on average, 97 to 97" in "".join(root.itertext())


def test_the_picture_is_drawn_as_png_too(acme: Path, watch: Callable[..., tuple[int, str, str]]) -> None:
    pytest.importorskip("resvg_py")
    picture = acme / "a.png"
    assert watch("--count", "2", "--plot", str(picture))[0] == 0
    data = picture.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(data[16:20], "big") == 2 * 960
    assert len(data) > 10_000


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has a device that is always full")
def test_a_full_disk_is_a_sentence_and_exit_code_2(watch: Callable[..., tuple[int, str, str]]) -> None:
    for option in ("--csv", "--jsonl", "--record"):
        code, _, told = watch("--count", "1", option, "/dev/full")
        assert code == 2
        assert "the disk is full" in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--interval", "1ms"), "100ms to 24h"),
        (("--interval", "soon"), "100ms to 24h"),
        (("--count", "0"), "give 1 or more"),
        (("--csv", "-", "--json"), "Give one of them a file"),
        (("--plot", "a.gif"), "Let it end in .svg or .png"),
        (("--query", "nmae"), "Did you mean name"),
        (("--speed", "2"), "--speed is for --replay"),
        (("--replay", "no-such-file"), "No such file"),
        (("--rotate-size", "12"), "4KB or more"),
        (("nvidia:7", "--count", "1"), "No device 'nvidia:7'"),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_exit_code_2(
    watch: Callable[..., tuple[int, str, str]], words: tuple[str, ...], told: str
) -> None:
    code, out, error = watch(*words)
    assert (code, out) == (2, "")
    assert told in error


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_whole_lines_and_exit_code_0(acme: Path, sign: signal.Signals) -> None:
    path, record = acme / "a.csv", acme / "a.rec"
    words = ["watch", "--interval", "100ms", "--csv", str(path), "--record", str(record)]
    with subprocess.Popen([sys.executable, "-m", "accel", *words], stdout=subprocess.PIPE) as running:
        _until(lambda: path.exists() and path.read_text().count("\n") > 3)
        running.send_signal(sign)
        assert running.wait(20) == 0
    rows = list(csv.reader(StringIO(path.read_text())))
    assert path.read_text().endswith("\n")
    assert {len(row) for row in rows} == {len(rows[0])}


def test_a_kill_leaves_a_record_that_can_be_read(acme: Path, watch: Callable[..., tuple[int, str, str]]) -> None:
    record = acme / "a.rec"
    words = ["watch", "--interval", "100ms", "--record", str(record)]
    with subprocess.Popen([sys.executable, "-m", "accel", *words]) as running:
        _until(lambda: record.exists() and record.stat().st_size > 1500)
        running.kill()
    code, out, _ = watch("--replay", str(record), "--json", "acme:0")
    assert code == 0
    assert len(out.splitlines()) > 2


@pytest.mark.skipif(shutil.which("script") is None, reason="a terminal is made by script(1)")
def test_on_a_terminal_the_table_is_drawn_in_place_and_no_line_is_too_wide(acme: Path) -> None:
    command = f"unset COLUMNS LINES; stty cols 50 rows 12; {sys.executable} -m accel watch -i 100ms -n 3"
    done = subprocess.run(
        ["script", "-qec", command, "/dev/null"], capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False
    )
    text = done.stdout.decode()
    assert text.count("\x1b[2K") >= 3 * 5
    assert "\x1b[" in text
    assert "acme:1" in text
    plain = [line for line in text.replace("\r", "").split("\n") if "acme:" in line]
    assert all(len(line.replace("\x1b[2K", "")) <= 50 + len("\x1b[31m\x1b[0m") for line in plain)


def _until(true: Callable[[], bool]) -> None:
    for _ in range(400):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come")
