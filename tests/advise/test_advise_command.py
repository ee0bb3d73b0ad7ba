"""`accel advise` on records, and on processes of this machine."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from accel.apps.cli import main
from accel.model.device import Device
from accel.model.readings import ProcessReadings, Readings
from accel.model.work import ProcessWork, Program, Work
from accel.watch.sampling.record import Record, Recorder
from accel.watch.sampling.tick import Tick

DEVICES = tuple(Device(id=f"acme:{n}", index=n, backend="acme", vendor="Acme", kind="npu") for n in (0, 1))
TRAIN = Program(pid=100, name="python", command=("python", "train.py"), cpus=16.0, variables=(), files=())


def _recorded(path: Path, with_work: bool = True) -> None:
    """Record a program on the first device that pauses while two of its children compute."""
    recorder = Recorder(str(path), 0.25)
    cpu, held = 0.0, (ProcessReadings(pid=100, name="python", memory_bytes=2**30),)
    for number in range(41):
        working = number % 4 < 2
        cpu += 0.25
        readings = (
            Readings(id="acme:0", busy_percent=95.0 if working else 1.0, processes=held),
            Readings(id="acme:1", busy_percent=0.0, processes=()),
        )
        seconds = number / 4
        tick = Tick(number=number, seconds=seconds, time=1.7e9 + seconds, devices=DEVICES, readings=readings)
        loaders = tuple(ProcessWork(pid=pid, cpu_seconds=cpu, running=1, threads=1) for pid in (101, 102))
        first = ProcessWork(pid=100, cpu_seconds=1.0, running=0, threads=4)
        work = {100: Work(seconds=seconds, processes=(first, *loaders))}
        recorder.write(tick, work if with_work else None, (TRAIN,) if with_work else ())
    recorder.close()


def test_a_record_tells_the_same_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.rec"
    _recorded(path)
    assert main(["advise", "--from", str(path), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "accel.advice/1"
    one = told["programs"][0]
    assert (one["pid"], one["devices"], one["verdict"], one["seconds"]) == (100, ["acme:0"], "causes", 10.0)
    assert [cause["name"] for cause in one["causes"]] == ["input-on-processor"]
    assert one["causes"][0]["changes"][0]["code"].startswith("DataLoader(..., num_workers=16")


def test_of_devices_alone_it_says_what_it_cannot_know(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.rec"
    _recorded(path, with_work=False)
    assert main(["advise", "--from", str(path)]) == 3
    out = capsys.readouterr().out
    assert "Nothing that was observed explains it" in out
    assert "processor, storage and memory: no process was looked at" in out


def test_what_was_recorded_of_programs_is_read_as_it_was(tmp_path: Path) -> None:
    from accel.machine.live import LiveMachine

    path = tmp_path / "a.rec"
    _recorded(path)
    record = Record(LiveMachine({}), str(path))
    assert len(list(record.ticks())) == 41
    assert record.programs == (TRAIN,)
    assert [work.seconds for work in record.works[100]][:3] == [0.0, 0.25, 0.5]
    assert record.works[100][3].processes[1].cpu_seconds == 1.0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
def test_a_process_of_this_machine_is_watched_and_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "")
    path = tmp_path / "a.rec"
    code = main(["advise", str(os.getpid()), "--seconds", "1", "--record", str(path), "--json"])
    live: Any = json.loads(capsys.readouterr().out)["programs"][0]
    assert (live["pid"], live["program"]["pid"]) == (os.getpid(), os.getpid())
    assert main(["advise", "--from", str(path), "--json"]) == code
    again: Any = json.loads(capsys.readouterr().out)["programs"][0]
    assert again["causes"] == live["causes"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("999999999",), "There is no process 999999999"),
        (("--seconds", "0"), "give 1 to 3600"),
        (("--from", "no-such-file"), "No such file"),
        (("1", "--from", "x"), "goes without PID"),
    ],
)
def test_what_cannot_be_done_is_a_sentence_and_exit_code_2(
    words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", *words]) == 2
    assert told in capsys.readouterr().err
