"""The backend on recorded machines, its masks, and its checks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import accel_hygon
import pytest
import yaml
from accel_hygon.model import HygonDevice

from accel.machine.recorded import RecordedMachine
from accel.model.merge import merged_devices
from accel.vendors.contract.backend import Request
from accel.vendors.toolkit.vendor_backend import VendorBackend

BACKEND = VendorBackend(accel_hygon.VENDOR)
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


def device(index: int, **facts: Any) -> HygonDevice:
    return HygonDevice(id=f"hygon:{index}", index=index, backend="hygon", vendor="Hygon", kind="gpu", **facts)


JSON = ["hy-smi", "--showproductname", "--showbus", "--showmeminfo", "vram", "--showtemp", "--showuse", "--json"]


@pytest.mark.parametrize(
    ("facts", "here"),
    [
        ({"nodes": ["/sys/module/hydcu"]}, True),
        ({"nodes": ["/opt/hyhal/bin/hy-smi"]}, True),
        ({"files": pci_files("0000:3b:00.0", "1d94", "6320")}, True),
        ({"files": pci_files("0000:00:00.0", "1d94", "1450")}, False),
        ({"nodes": ["/dev/kfd"]}, False),
    ],
)
def test_any_one_sign_is_enough(machine: Callable[..., RecordedMachine], facts: dict[str, Any], here: bool) -> None:
    assert BACKEND.detect(machine(**facts)) is here


def test_the_two_answers_and_the_bus_are_one(machine: Callable[..., RecordedMachine]) -> None:
    recorded = machine(
        nodes=["/dev/kfd"],
        files=pci_files("0000:09:00.0", "1d94", "6210") | pci_files("0000:00:00.0", "1d94", "1450"),
        commands=[
            command(["/opt/hyhal/bin/hy-smi"], "table-hcu"),
            command(["/opt/hyhal/bin/hy-smi", *JSON[1:]], "json"),
        ],
    )
    reports = BACKEND.probe(recorded, Request())
    devices, _ = merged_devices(reports)
    assert [d.id for d in devices] == ["hygon:0", "hygon:1", "hygon:2"]
    assert (devices[0].name, devices[0].pci_id, devices[0].numa_node) == ("K100_AI", "1d94:6210", 1)
    assert devices[0].power_watts == 134
    memory = BACKEND.memory(recorded, "hygon:0")
    assert memory is not None
    assert memory.total_bytes == 64 << 30
    assert BACKEND.sample(recorded, [device(0)])[0].memory_used_bytes == 2 << 20
    assert BACKEND.processes(recorded) == {f"hygon:{n}": None for n in range(3)}


def test_the_outer_mask_comes_first() -> None:
    masks = {"ROCR_VISIBLE_DEVICES": "2,1", "HIP_VISIBLE_DEVICES": "1", "CUDA_VISIBLE_DEVICES": "0"}
    shown = BACKEND.visible([device(0), device(1), device(2)], masks)
    assert [d.runtime_names for d in shown] == [(), ("cuda:0",), ()]


def test_a_mask_of_uuids_leaves_visibility_unknown() -> None:
    assert BACKEND.visible([device(0)], {"HIP_VISIBLE_DEVICES": "GPU-71"})[0].visible is None


@pytest.mark.parametrize(
    ("variables", "names"),
    [
        ({}, ["cuda:0", "cuda:1", "cuda:2"]),
        ({"HIP_VISIBLE_DEVICES": "2,0"}, ["cuda:1", None, "cuda:0"]),
        ({"HIP_VISIBLE_DEVICES": "0,9,1"}, ["cuda:0", None, None]),
        ({"HIP_VISIBLE_DEVICES": "1,1,2"}, [None, None, None]),
        ({"HIP_VISIBLE_DEVICES": ""}, [None, None, None]),
        ({"CUDA_VISIBLE_DEVICES": "1"}, [None, "cuda:0", None]),
    ],
)
def test_the_runtime_mask_picks_and_orders(variables: dict[str, str], names: list[str | None]) -> None:
    shown = BACKEND.visible([device(0), device(1), device(2)], variables)
    assert [d.runtime_names for d in shown] == [(name,) if name else () for name in names]
    assert [d.visible for d in shown] == [name is not None for name in names]


def test_without_the_tool_the_bus_counts_and_the_tool_is_a_gap(machine: Callable[..., RecordedMachine]) -> None:
    reports = BACKEND.probe(machine(files=pci_files("0000:3b:00.0", "1d94", "6210")), Request())
    devices, _ = merged_devices(reports)
    assert [(d.id, d.pci_address, d.pci_id, d.numa_node) for d in devices] == [
        ("hygon:0", "0000:3b:00.0", "1d94:6210", 1)
    ]
    assert devices[0].memory_total_bytes is None
    assert ["not" in gap.reason for report in reports for gap in report.gaps] == [True]
    assert [one.fact for report in reports for one in report.observations] == ["hygon-driver-absent"]


def test_a_tool_that_hangs_or_talks_nonsense_is_a_gap(machine: Callable[..., RecordedMachine]) -> None:
    hung = BACKEND.probe(machine(commands=[{"argv": ["hy-smi"], "timed_out": True}]), Request())
    assert "killed" in hung[0].gaps[0].reason
    odd = BACKEND.probe(machine(commands=[{"argv": ["hy-smi"], "stdout": "\x07oops", "exit_code": 3}]), Request())
    assert odd[0].status == "failed"
    assert "exited with 3: oops" in odd[0].gaps[0].reason
    assert merged_devices([*hung, *odd])[0] == ()


def test_a_call_that_hung_before_is_not_made_again(machine: Callable[..., RecordedMachine]) -> None:
    answers = [command(["hy-smi"], "table-hcu")]
    reports = BACKEND.probe(machine(commands=answers), Request(skip=frozenset({("hy-smi", None)})))
    assert merged_devices(reports)[0] == ()


def test_no_device_is_none_and_nothing_raises(machine: Callable[..., RecordedMachine]) -> None:
    backend, empty = BACKEND, machine()
    assert backend.detect(empty) is False
    assert merged_devices(backend.probe(empty, Request()))[0] == ()
    assert backend.memory(empty, "hygon:0") is None
    assert backend.processes(empty) == {}
    stale = backend.sample(empty, [device(0, memory_used_bytes=5, health="ok")])[0]
    assert (stale.memory_used_bytes, stale.health) == (None, "unknown")
