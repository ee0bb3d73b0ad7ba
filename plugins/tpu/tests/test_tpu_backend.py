"""The live backend, on made-up machines."""

import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_tpu import VENDOR, jax_child, metrics
from accel_tpu.model import TpuDevice

from accel.machine.process import CommandResult
from accel.machine.recorded import RecordedMachine
from accel.model.device import Device, Gap
from accel.model.merge import merged_devices
from accel.model.observation import Noted
from accel.model.report import Report
from accel.vendors.contract.backend import Request
from accel.vendors.toolkit.vendor_backend import VendorBackend

MACHINES = Path(__file__).parent / "machines"
BACKEND = VendorBackend(VENDOR)


class Answering(RecordedMachine):
    """A recorded machine whose every command answers by this function."""

    answer: Callable[[Sequence[str]], str]

    def run(self, argv: Sequence[str], timeout_seconds: float) -> CommandResult:
        return CommandResult(argv=tuple(argv), exit_code=0, stdout=self.answer(argv), stderr="", seconds=0.0)


def _made(folder: Path, **record: Any) -> RecordedMachine:
    (folder / "machine.yaml").write_text(yaml.safe_dump(record))
    return RecordedMachine(folder)


def _devices(reports: Sequence[Report]) -> tuple[TpuDevice, ...]:
    devices = merged_devices(reports)[0]
    assert all(isinstance(device, TpuDevice) for device in devices)
    return devices  # type: ignore[return-value]


def _gaps(reports: Sequence[Report]) -> list[Gap]:
    return [gap for report in reports for gap in report.gaps]


def test_a_v4_host_has_its_chips_and_not_its_network_card() -> None:
    machine = RecordedMachine(MACHINES / "v4-vm")
    assert BACKEND.detect(machine)
    first, second = _devices(BACKEND.probe(machine, Request()))
    assert (first.id, first.name, first.architecture, first.pci_address) == ("tpu:0", "TPU v4", "v4", "0000:00:04.0")
    assert (first.device_path, first.node_accessible, first.numa_node) == ("/dev/accel0", True, 0)
    assert (second.device_path, second.numa_node) == ("/dev/accel1", None)
    assert [(p.pid, p.name) for p in first.processes or ()] == [(71, "python3")]
    assert first.hbm_nominal_bytes == 32 * 2**30
    assert first.memory_total_bytes is None


def test_a_lock_file_that_nobody_holds_is_told_of_and_left_alone() -> None:
    machine = RecordedMachine(MACHINES / "v4-vm")
    (noted,) = [o for report in BACKEND.probe(machine, Request()) for o in report.observations]
    assert isinstance(noted, Noted)
    assert noted.fact == "tpu-lockfile"
    assert dict(noted.values)["stale"] == "yes"
    assert machine.exists("/tmp/libtpu_lockfile")


def test_values_of_the_metric_service_are_dealt_out_to_the_chips() -> None:
    machine = Answering(MACHINES / "v4-vm")
    machine.answer = lambda argv: (
        "some library's chatter\nhbm_used 4 1024\nhbm_used 5 2048\nhbm_total 4 4096\nhbm_total 5 4096\n"
        "duty_cycle 0 12.5\nduty_cycle 1 0.0\n"
    )
    first, second = _devices(BACKEND.probe(machine, Request()))
    assert (first.memory_used_bytes, first.memory_free_bytes, first.utilization_percent) == (1024, 3072, 12.5)
    assert (second.memory_used_bytes, second.memory_total_bytes, second.duty_cycle_percent) == (2048, 4096, 0.0)
    assert first.pci_address == "0000:00:04.0"
    memory = BACKEND.memory(machine, "tpu:1")
    assert memory is not None
    assert memory.used_bytes == 2048
    machine.answer = lambda argv: "hbm_used 4 7\nhbm_used 5 8\n"
    sampled = BACKEND.sample(machine, (first, second))
    assert [d.memory_used_bytes for d in sampled] == [7, 8]
    assert [d.utilization_percent for d in sampled] == [None, None]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("hbm_used 0 1\nhbm_used 1 1\nhbm_used 2 1\n", "do not fit"),
        ("no-grpc\n", "grpcio"),
        ("failed hbm_used UNAVAILABLE\n", "gave no values"),
    ],
)
def test_metrics_that_cannot_be_used_are_gaps(answer: str, why: str) -> None:
    machine = Answering(MACHINES / "v4-vm")
    machine.answer = lambda argv: answer
    reports = BACKEND.probe(machine, Request())
    assert {d.memory_used_bytes for d in _devices(reports)} == {None}
    assert any(why in gap.reason for gap in _gaps(reports))


def test_no_child_is_started_where_nothing_serves_metrics() -> None:
    machine = Answering(MACHINES / "v5e-pod")
    machine.answer = lambda argv: pytest.fail("a child was started")
    reports = BACKEND.probe(machine, Request(depth="health"))
    assert any("only serves metrics while a program uses the TPU" in gap.reason for gap in _gaps(reports))


def test_a_pod_is_told_which_chip_it_was_not_given_and_which_it_may_not_open() -> None:
    reports = BACKEND.probe(RecordedMachine(MACHINES / "v5e-pod"), Request())
    devices = _devices(reports)
    assert [d.device_path for d in devices] == ["/dev/vfio/8", "/dev/vfio/9", None]
    assert [d.node_accessible for d in devices] == [True, False, None]
    assert [d.processes for d in devices] == [None, None, None]
    gaps = {(gap.fact, gap.device) for gap in _gaps(reports)}
    assert ("device_path", "tpu:2") in gaps
    assert ("processes", None) in gaps
    assert [o.fact for report in reports for o in report.observations if isinstance(o, Noted)] == ["tpu-hugepages-off"]


def test_two_functions_of_one_slot_are_one_chip(tmp_path: Path) -> None:
    files = {}
    links = {}
    for function in (0, 1):
        folder = f"/sys/bus/pci/devices/0000:00:09.{function}"
        files |= {f"{folder}/vendor": "0x1ae0", f"{folder}/device": "0x0076"}
        links[f"{folder}/iommu_group"] = f"../../../../kernel/iommu_groups/{function}"
    machine = _made(tmp_path, files=files, links=links, nodes=["/dev/vfio/0", "/dev/vfio/1"])
    (device,) = _devices(BACKEND.probe(machine, Request()))
    assert (device.name, device.devices_per_chip, device.device_path) == ("TPU7x", 2, "/dev/vfio/0")


@pytest.mark.parametrize(("subsystem", "name"), [("0x004e", "TPU v2"), ("0x004f", "TPU v3"), ("0x1234", None)])
def test_the_subsystem_tells_v2_from_v3(subsystem: str, name: str | None, tmp_path: Path) -> None:
    folder = "/sys/bus/pci/devices/0000:00:04.0"
    files = {f"{folder}/vendor": "0x1ae0", f"{folder}/device": "0x0027", f"{folder}/subsystem_device": subsystem}
    (device,) = _devices(BACKEND.probe(_made(tmp_path, files=files, nodes=["/dev/accel0"]), Request()))
    assert device.name == name
    assert device.device_path == "/dev/accel0"


def test_googles_other_devices_and_other_makers_nodes_are_no_tpu(tmp_path: Path) -> None:
    folder = "/sys/bus/pci/devices/0000:00:03.0"
    files = {f"{folder}/vendor": "0x1ae0", f"{folder}/device": "0x0042", f"{folder}/class": "0x020000"}
    machine = _made(tmp_path, files=files, nodes=["/dev/vfio/0", "/dev/vfio/vfio"])
    assert not BACKEND.detect(machine)
    assert _devices(BACKEND.probe(machine, Request())) == ()


def test_an_accelerator_of_an_unknown_kind_is_a_gap_and_no_device(tmp_path: Path) -> None:
    folder = "/sys/bus/pci/devices/0000:00:03.0"
    files = {f"{folder}/vendor": "0x1ae0", f"{folder}/device": "0x0fff", f"{folder}/class": "0x120000"}
    machine = _made(tmp_path, files=files)
    assert BACKEND.detect(machine)
    reports = BACKEND.probe(machine, Request())
    assert _devices(reports) == ()
    assert "0000:00:03.0" in _gaps(reports)[0].reason


def test_a_bare_machine_has_no_tpu(tmp_path: Path) -> None:
    machine = _made(tmp_path)
    assert not BACKEND.detect(machine)
    (report,) = BACKEND.probe(machine, Request())
    assert (report.status, report.devices) == ("absent", ())


def test_jax_is_asked_only_when_wanted_and_its_cores_are_joined_to_chips() -> None:
    machine = Answering(MACHINES / "v4-vm")
    machine.answer = lambda argv: (
        "noise\naccel-jax 0 TPU v3|0|0,0,0|0|16|4\naccel-jax 1 TPU v3|0|0,0,0|1|16|0\naccel-jax 2 TPU v3|0|1,0,0|0||\n"
        if argv[-1] == jax_child.CHILD
        else ""
    )
    report = BACKEND.probe(machine, Request(depth="deep"))[-1]
    assert report.source == "jax"
    first, second = report.devices
    assert isinstance(first, TpuDevice)
    assert (first.name, first.devices_per_chip, first.memory_total_bytes, first.memory_used_bytes) == (
        "TPU v3",
        2,
        32,
        4,
    )
    assert second.memory_total_bytes is None
    assert all(r.source != "jax" for r in BACKEND.probe(machine, Request(depth="health")))


def test_a_jax_that_fails_or_hangs_is_a_gap() -> None:
    report = BACKEND.probe(RecordedMachine(MACHINES / "v4-vm"), Request(depth="deep"))[-1]
    assert report.status == "failed"
    assert report.gaps[0].fact == "jax.devices"


def _chips(count: int, each: int | None = 1) -> tuple[Device, ...]:
    return tuple(
        TpuDevice(id=f"tpu:{n}", index=n, backend="tpu", vendor="Google", kind="tpu", devices_per_chip=each)
        for n in range(count)
    )


@pytest.mark.parametrize(
    ("variables", "shown", "names"),
    [
        ({}, [True, True], [("tpu:0",), ("tpu:1",)]),
        ({"TPU_VISIBLE_CHIPS": "1"}, [False, True], [(), ("tpu:0",)]),
        ({"TPU_VISIBLE_DEVICES": "1,0"}, [True, True], [("tpu:1",), ("tpu:0",)]),
        ({"TPU_VISIBLE_CHIPS": "7"}, [False, False], [(), ()]),
        ({"TPU_VISIBLE_CHIPS": "one"}, [None, None], [None, None]),
        ({"TPU_VISIBLE_CHIPS": ""}, [True, True], [("tpu:0",), ("tpu:1",)]),
        ({"JAX_PLATFORMS": "cpu"}, [False, False], [(), ()]),
        ({"JAX_PLATFORMS": "tpu,cpu"}, [True, True], [("tpu:0",), ("tpu:1",)]),
    ],
)
def test_masks_are_read_as_libtpu_and_jax_read_them(
    variables: dict[str, str], shown: list[bool | None], names: list[tuple[str, ...] | None]
) -> None:
    devices = BACKEND.visible(_chips(2), variables)
    assert [device.visible for device in devices] == shown
    assert [device.runtime_names for device in devices] == names


def test_a_chip_with_two_cores_has_two_names_and_one_of_unknown_kind_none() -> None:
    assert [d.runtime_names for d in BACKEND.visible(_chips(2, 2), {})] == [("tpu:0", "tpu:1"), ("tpu:2", "tpu:3")]
    assert [d.runtime_names for d in BACKEND.visible(_chips(1, None), {})] == [None]


def _field(number: int, payload: bytes) -> bytes:
    return bytes([number << 3 | 2, len(payload)]) + payload


def _metric(where: bytes, gauge: bytes) -> bytes:
    return _field(3, _field(1, _field(1, b"device-id") + _field(2, where)) + _field(2, b"\x08\x01") + _field(3, gauge))


def test_the_child_decodes_the_answers_of_the_service(tmp_path: Path) -> None:
    """A stand-in for grpcio answers: numbers and texts as attributes, whole numbers and fractions as values."""
    number, text = b"\x18\x01", _field(1, b"0")
    whole, fraction = b"\x10\x80\x80\x04", b"\x09" + struct.pack("<d", 98.5)
    memory = _field(1, _field(1, b"name") + _metric(b"", whole) + _metric(number, whole))
    duty = _field(1, _metric(text, fraction))
    (tmp_path / "grpc.py").write_text(
        "class RpcError(Exception):\n    def code(self):\n        import types\n        return "
        "types.SimpleNamespace(name='NOT_FOUND')\nclass insecure_channel:\n    def __init__(self, address): assert "
        "address == 'localhost:8431'\n    def __enter__(self): return self\n    def __exit__(self, *rest): pass\n    "
        "def unary_unary(self, path, request_serializer, response_deserializer):\n        assert path == "
        "'/tpu.monitoring.runtime.RuntimeMetricService/GetRuntimeMetric'\n        def ask(request, "
        f"timeout):\n            if b'usage' in request: return {memory!r}\n            if b'duty' in request: return "
        f"{duty!r}\n            raise RpcError\n        return ask\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", metrics.CHILD, "0.2", "8431"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(tmp_path)},
        check=True,
    )
    assert done.stdout.splitlines() == [
        "hbm_used 0 65536",
        "hbm_used 1 65536",
        "failed hbm_total NOT_FOUND",
        "duty_cycle 0 98.5",
    ]


def test_a_line_of_the_metric_service_s_child_counts_only_if_it_is_whole() -> None:
    values = metrics._parsed("hbm_total 0 16911433728\nhbm_total 1 16911", why="")
    assert values.total_bytes == {0: 16911433728}
