"""A record is read wherever reports are: its last moment as devices, the time before it as a chapter of the report."""

from pathlib import Path

import pytest

from accel.apps.cli import main
from accel.model.device import Device
from accel.model.readings import Readings, without_readings
from accel.watch.sampling.record import Recorder
from accel.watch.sampling.tick import Happening, Tick

DEVICES = tuple(
    Device(id=f"acme:{n}", index=n, backend="acme", vendor="Acme", kind="npu", name="N1 <b>", uuid=f"SECRET-{n}")
    for n in (0, 1)
)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "node.rec"
    recorder = Recorder(str(path), 1.0)
    for second in range(5):
        first = Readings(id="acme:0", uuid="SECRET-0", busy_percent=20.0 * second, memory_used_bytes=2**30)
        second_one = without_readings(DEVICES[1], "gone") if second > 2 else Readings(id="acme:1", busy_percent=5.0)
        told = (Happening(kind="gone", device="acme:1", text="acme:1, SECRET-1, is away"),) if second == 3 else ()
        moment = 1_700_000_000.0 + second
        recorder.write(
            Tick(
                number=second,
                seconds=float(second),
                time=moment,
                devices=DEVICES,
                readings=(first, second_one),
                happenings=told,
            )
        )
    recorder.close()
    return path


def test_devices_are_listed_with_their_last_readings(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["devices", "--from", str(record), "--query", "id,utilization.gpu,memory.used"])
    assert capsys.readouterr().out.splitlines()[1:] == ["acme:0,80.0,1024", "acme:1,,"]


@pytest.mark.parametrize("ending", ["md", "html"])
def test_the_report_shows_the_time_before_without_what_names_the_machine(record: Path, ending: str) -> None:
    written = record.with_suffix(f".{ending}")
    assert main(["report", "--from", str(record), "--no-restrictions", "-o", str(written)]) == 0
    text = written.read_text()
    assert "2023-11-14T22:13:20.000Z to 2023-11-14T22:13:24.000Z" in text
    assert "busy 40 % on average, 0 to 80" in text
    assert "acme:1: gone" in text
    assert "SECRET" not in text
    assert "<b>" not in text
    if ending == "html":
        assert "img-src data:" in text
        assert text.count("<img ") == 1


def test_a_report_without_a_record_loads_no_picture(tmp_path: Path) -> None:
    given, written = tmp_path / "said.txt", tmp_path / "a.html"
    given.write_text("torch 2.4.0\nRuntimeError: CUDA error: out of memory\n")
    main(["report", "--from", str(given), "-o", str(written)])
    assert "img-src" not in written.read_text()
