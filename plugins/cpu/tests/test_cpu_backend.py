"""The processor, on made-up machines and on this one."""

from pathlib import Path

import pytest
import yaml
from accel_cpu.backend import CpuBackend
from accel_cpu.linux import USUAL
from accel_cpu.model import CpuDevice

from accel.machine.live import LiveMachine
from accel.machine.recorded import RecordedMachine
from accel.specs import load
from accel.specs.store import parse
from accel.vendors.contract.backend import Request
from accel.vendors.contract.watching import Wanted
from accel.watch.sampling.asking import asked

CASES = parse(str(Path(__file__).parent / "machines/cases.yaml"))


def _recorded(folder: Path, **record: object) -> RecordedMachine:
    (folder / "machine.yaml").write_text(yaml.safe_dump(record))
    return RecordedMachine(folder)


@pytest.mark.parametrize("case", CASES)
def test_a_machine_has_one_processor_device_as_its_files_say(case: str, tmp_path: Path) -> None:
    (report,) = CpuBackend().probe(_recorded(tmp_path, **CASES[case]["machine"]), Request())
    (device,) = report.devices
    assert isinstance(device, CpuDevice)
    wanted = CASES[case]["cpu"]
    seen = {name: getattr(device, name) for name in wanted}
    assert {name: list(v) if isinstance(v, tuple) else v for name, v in seen.items()} == wanted
    assert [gap.fact for gap in report.gaps] == CASES[case].get("gaps", [])
    assert report.status == ("partial" if report.gaps else "ok")
    assert (device.id, device.kind, device.runtime_names) == ("cpu:0", "cpu", ("cpu:0", "cpu"))


def _busy(tmp_path: Path, line: str) -> RecordedMachine:
    return _recorded(tmp_path, files={"/proc/stat": line, "/proc/meminfo": "MemTotal: 2048 kB\nMemAvailable: 512 kB\n"})


def test_use_is_known_from_the_second_sample_on(tmp_path: Path) -> None:
    backend = CpuBackend()
    machine = _busy(tmp_path, "cpu  100 0 100 800 0 0 0 0 0 0\n")
    devices = backend.probe(machine, Request())[0].devices
    first = backend.sample(machine, devices)
    assert first[0].utilization_percent is None
    assert first[0].memory_used_bytes == 1536 * 1024
    later = _busy(tmp_path, "cpu  150 0 125 850 75 0 0 0 9 9\ncpu0 1 1 1 1\n")
    assert backend.sample(later, devices)[0].utilization_percent == 37.5
    assert backend.sample(later, devices)[0].utilization_percent is None


def test_it_is_watched_by_its_sample(tmp_path: Path) -> None:
    machine = _busy(tmp_path, "cpu  100 0 100 800 0 0 0 0 0 0\n")
    backend = CpuBackend()
    devices = backend.probe(machine, Request())[0].devices
    (readings,) = asked(backend, machine, devices, Wanted())
    assert (readings.state, readings.memory_used_bytes) == ("ok", 1536 * 1024)


def test_memory_is_that_of_the_one_device(tmp_path: Path) -> None:
    machine = _busy(tmp_path, "")
    memory = CpuBackend().memory(machine, "cpu:0")
    assert memory is not None
    assert (memory.total_bytes, memory.free_bytes) == (2048 * 1024, 512 * 1024)
    assert CpuBackend().memory(machine, "cpu:1") is None


def test_this_machine_has_a_processor() -> None:
    machine = LiveMachine()
    assert CpuBackend().detect(machine)
    device = CpuBackend().probe(machine, Request())[0].devices[0]
    assert isinstance(device, CpuDevice)
    assert device.threads is None or device.threads >= 1


def test_the_usual_makers_are_those_of_the_table() -> None:
    table = load().table("cpu/makers")["by_vendor_id"]
    assert {vendor_id: table[vendor_id] for vendor_id in USUAL} == USUAL
