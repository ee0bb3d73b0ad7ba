"""Ticks in a file come back as they were, whatever happened to the end of the file or to its middle."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sampled_nodes import device

from accel.machine.growing import CannotWrite
from accel.machine.live import LiveMachine
from accel.model.device import Device, Gap
from accel.model.errors import BadInput
from accel.model.readings import ProcessReadings, Readings
from accel.watch.sampling.record import MAGIC, Record, Recorder
from accel.watch.sampling.tick import Happening, Tick

GAP = Gap(fact="power_watts", reason="not supported by this device", device="acme:1", backend="acme", source="acme-smi")


def _ticks(count: int, devices: tuple[Device, ...] = (device(0), device(1)), start: float = 0.0) -> Iterator[Tick]:
    for number in range(count):
        held = (ProcessReadings(pid=7, name="训练", user="ann", memory_bytes=number, busy_percent=None),)
        yield Tick(
            number=number,
            seconds=start + number,
            time=1_700_000_000.25 + start + number,
            devices=devices,
            readings=tuple(
                Readings(
                    id=one.id,
                    uuid=one.uuid,
                    state="ok" if number % 3 else "late",
                    busy_percent=float(number % 100) if number % 2 else None,
                    memory_used_bytes=2**33 + number,
                    clock_event_reasons=("sw-power-cap",) if number % 5 == 0 else (),
                    processes=held if one.index == 0 else None,
                    gaps=(GAP,) if one.index else (),
                )
                for one in devices
            ),
            happenings=(Happening(kind="gone", text="acme:1 is away", device="acme:1"),) if number == 2 else (),
        )


def _written(path: Path, ticks: Iterator[Tick]) -> list[Tick]:
    recorder = Recorder(str(path), 1.0)
    given = list(ticks)
    for tick in given:
        recorder.write(tick)
    recorder.close()
    return given


def _read(path: Path) -> Record:
    return Record(LiveMachine({}), str(path))


def test_what_was_recorded_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.rec"
    given = _written(path, _ticks(20))
    record = _read(path)
    assert list(record.ticks()) == given
    assert (record.devices, record.interval_seconds, record.lost) == (given[0].devices, 1.0, 0)
    assert path.read_bytes().startswith(MAGIC)


def test_each_tick_is_in_the_file_when_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.rec"
    recorder = Recorder(str(path), 1.0)
    for number, tick in enumerate(_ticks(5), 1):
        recorder.write(tick)
        assert len(list(_read(path).ticks())) == number


@pytest.mark.parametrize("missing", [1, 5, 12, 40])
def test_a_cut_tail_costs_the_last_ticks_and_is_counted(tmp_path: Path, missing: int) -> None:
    path = tmp_path / "a.rec"
    given = _written(path, _ticks(30))
    path.write_bytes(path.read_bytes()[:-missing])
    record = _read(path)
    read = list(record.ticks())
    assert read == given[: len(read)]
    assert len(read) >= 28
    assert record.lost > 0


def test_a_record_goes_on_in_another_session_and_a_damaged_end_is_cut_off_first(tmp_path: Path) -> None:
    path = tmp_path / "a.rec"
    first = _written(path, _ticks(4))
    path.write_bytes(path.read_bytes() + b"\xacR\xb1\nD\x50\x00half a block")
    recorder = Recorder(str(path), 1.0)
    assert recorder.cut > 0
    for tick in _ticks(3):
        recorder.write(Tick(**{name: getattr(tick, name) for name in Tick.__slots__} | {"time": tick.time + 60.0}))
    recorder.close()
    read = list(_read(path).ticks())
    assert [tick.number for tick in read] == list(range(7))
    assert [tick.seconds for tick in read] == [0.0, 1.0, 2.0, 3.0, 60.0, 61.0, 62.0]
    assert read[:4] == first
    assert [one.text for one in read[4].happenings] == ["nothing was watched for 57 s"]


def test_of_a_file_that_was_damaged_in_the_middle_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.rec"
    given = _written(path, _ticks(900))
    data = bytearray(path.read_bytes())
    data[len(data) // 6] ^= 0xFF
    path.write_bytes(data)
    record = _read(path)
    seen = {tick.time: tick.readings for tick in record.ticks()}
    wanted = {tick.time: tick.readings for tick in given}
    assert all(wanted[time] == readings for time, readings in seen.items())
    assert 600 <= len(seen) < 900
    assert record.lost > 0


def test_a_change_of_devices_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.rec"
    some, more = (device(0),), (device(0), device(1))
    given = _written(path, (tick for part in ((some, 0.0), (more, 3.0)) for tick in _ticks(3, part[0], part[1])))
    assert [tick.devices for tick in _read(path).ticks()] == [tick.devices for tick in given]
    assert [tick.readings for tick in _read(path).ticks()] == [tick.readings for tick in given]


def test_a_record_is_small(tmp_path: Path) -> None:
    path = tmp_path / "a.rec"
    _written(path, _ticks(1000, tuple(device(index) for index in range(8))))
    assert path.stat().st_size < 1000 * 160


@pytest.mark.parametrize("content", [b"", b"time,busy\n", MAGIC, MAGIC + b"\xacR\xb1\nS" + b"\xff" * 40])
def test_what_is_no_record_is_refused_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.rec"
    path.write_bytes(content)
    with pytest.raises(BadInput, match="accel watch --record FILE"):
        _read(path)


def test_a_file_that_is_no_record_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes")
    with pytest.raises(BadInput, match="it is not a recording"):
        Recorder(str(path), 1.0)
    assert path.read_text() == "my notes"


def test_after_a_full_disk_the_record_can_be_read_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno
    import os

    path, given = tmp_path / "a.rec", list(_ticks(6))
    recorder = Recorder(str(path), 1.0)
    write, full = os.write, False

    def writing(descriptor: int, data: bytes) -> int:
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", writing)
    for number, tick in enumerate(given):
        full = number == 3
        if full:
            with pytest.raises(CannotWrite):
                recorder.write(tick)
        else:
            recorder.write(tick)
    assert [tick.time for tick in _read(path).ticks()] == [tick.time for tick in given if tick.number != 3]
