"""The backend on recorded machines, its masks, and its checks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import accel_cambricon
import pytest
import yaml
from accel_cambricon.model import CambriconDevice

from accel.machine.recorded import RecordedMachine
from accel.model.merge import merged_devices
from accel.vendors.contract.backend import Request
from accel.vendors.toolkit.vendor_backend import VendorBackend

BACKEND = VendorBackend(accel_cambricon.VENDOR)
TEXTS = Path(__file__).parent / "texts"
PCI = "/sys/bus/pci/devices"


@pytest.fixture
def machine(tmp_path: Path) -> Callable[..., RecordedMachine]:
    def recorded(**facts: Any) -> RecordedMachine:
        (tmp_path / "machine.yaml").write_text(yaml.safe_dump(facts))
        return RecordedMachine(tmp_path)

    return recorded


def pci_files(address: str, vendor: str, device: str) -> dict[str, str]:
    folder = f"{PCI}/{address}"
    return {f"{folder}/vendor": f"0x{vendor}\n", f"{folder}/device": f"0x{device}\n", f"{folder}/numa_node": "1\n"}


def command(argv: list[str], text: str) -> dict[str, Any]:
    return {"argv": argv, "stdout": (TEXTS / f"{text}.txt").read_text()}


def device(index: int, **facts: Any) -> CambriconDevice:
    return CambriconDevice(
        id=f"cambricon:{index}", index=index, backend="cambricon", vendor="Cambricon", kind="npu", **facts
    )


@pytest.mark.parametrize(
    "facts",
    [
        {"nodes": ["/dev/cambricon_dev7"]},
        {"nodes": ["/dev/cambricon_ctl"]},
        {"nodes": ["/proc/driver/cambricon/mlus"]},
        {"files": pci_files("0000:3b:00.0", "cabc", "0590")},
    ],
)
def test_any_one_sign_is_enough(machine: Callable[..., RecordedMachine], facts: dict[str, Any]) -> None:
    assert BACKEND.detect(machine(**facts)) is True


def test_the_two_answers_and_the_files_are_one(machine: Callable[..., RecordedMachine]) -> None:
    information = "Device name: MLU370-X4\nDevice inode path: /dev/cambricon_dev0\nBoard Serial Number: SN/77\n"
    recorded = machine(
        nodes=["/dev/cambricon_dev0"],
        files=pci_files("0000:5e:00.0", "cabc", "0370")
        | {"/proc/driver/cambricon/mlus/0000:5e:00.0/information": information},
        commands=[command(["cnmon"], "table-of-4.20"), command(["cnmon", "info"], "info")],
    )
    reports = BACKEND.probe(recorded, Request())
    first = merged_devices(reports)[0][0]
    assert isinstance(first, CambriconDevice)
    assert (first.id, first.pci_id, first.numa_node, first.serial) == ("cambricon:0", "cabc:0370", 1, "77")
    assert (first.health, first.uuid) == ("ok", "81240917-0310-0000-0000-000000000000")
    memory = BACKEND.memory(recorded, "cambricon:0")
    assert memory is not None
    assert memory.used_bytes == 1 << 30
    assert BACKEND.sample(recorded, [device(0)])[0].utilization_percent == 12
    assert BACKEND.processes(recorded) == {"cambricon:0": None}


@pytest.mark.parametrize(
    ("variables", "names"),
    [
        ({}, ["mlu:0", "mlu:1", "mlu:2"]),
        ({"MLU_VISIBLE_DEVICES": "2,0"}, ["mlu:1", None, "mlu:0"]),
        ({"MLU_VISIBLE_DEVICES": "0,9,1"}, ["mlu:0", None, None]),
        ({"MLU_VISIBLE_DEVICES": "1,1,2"}, [None, None, None]),
        ({"MLU_VISIBLE_DEVICES": ""}, [None, None, None]),
        ({"CAMBRICON_VISIBLE_DEVICES": "1"}, ["mlu:0", "mlu:1", "mlu:2"]),
    ],
)
def test_the_runtime_mask_picks_and_orders(variables: dict[str, str], names: list[str | None]) -> None:
    shown = BACKEND.visible([device(0), device(1), device(2)], variables)
    assert [d.runtime_names for d in shown] == [(name,) if name else () for name in names]
    assert [d.visible for d in shown] == [name is not None for name in names]


def test_without_the_tool_the_bus_counts_and_the_tool_is_a_gap(machine: Callable[..., RecordedMachine]) -> None:
    reports = BACKEND.probe(machine(files=pci_files("0000:3b:00.0", "cabc", "0370")), Request())
    devices, _ = merged_devices(reports)
    assert [(d.id, d.pci_address, d.pci_id, d.numa_node) for d in devices] == [
        ("cambricon:0", "0000:3b:00.0", "cabc:0370", 1)
    ]
    assert devices[0].memory_total_bytes is None
    assert ["not" in gap.reason for report in reports for gap in report.gaps] == [True]
    assert [one.fact for report in reports for one in report.observations] == ["cambricon-driver-absent"]


def test_a_tool_that_hangs_or_talks_nonsense_is_a_gap(machine: Callable[..., RecordedMachine]) -> None:
    hung = BACKEND.probe(machine(commands=[{"argv": ["cnmon"], "timed_out": True}]), Request())
    assert "killed" in hung[0].gaps[0].reason
    odd = BACKEND.probe(machine(commands=[{"argv": ["cnmon"], "stdout": "\x07oops", "exit_code": 3}]), Request())
    assert odd[0].status == "failed"
    assert "exited with 3: oops" in odd[0].gaps[0].reason
    assert merged_devices([*hung, *odd])[0] == ()


def test_a_call_that_hung_before_is_not_made_again(machine: Callable[..., RecordedMachine]) -> None:
    answers = [command(["cnmon"], "table-with-processes")]
    reports = BACKEND.probe(machine(commands=answers), Request(skip=frozenset({("cnmon", None)})))
    assert merged_devices(reports)[0] == ()


def test_no_device_is_none_and_nothing_raises(machine: Callable[..., RecordedMachine]) -> None:
    backend, empty = BACKEND, machine()
    assert backend.detect(empty) is False
    assert merged_devices(backend.probe(empty, Request()))[0] == ()
    assert backend.memory(empty, "cambricon:0") is None
    assert backend.processes(empty) == {}
    stale = backend.sample(empty, [device(0, memory_used_bytes=5, health="ok")])[0]
    assert (stale.memory_used_bytes, stale.health) == (None, "unknown")
