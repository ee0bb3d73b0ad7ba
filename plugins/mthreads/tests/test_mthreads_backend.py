"""The backend on recorded machines, its masks, and its checks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import accel_mthreads
import pytest
import yaml
from accel_mthreads.model import MThreadsDevice

from accel.machine.recorded import RecordedMachine
from accel.model.merge import merged_devices
from accel.vendors.contract.backend import Request
from accel.vendors.toolkit.vendor_backend import VendorBackend

BACKEND = VendorBackend(accel_mthreads.VENDOR)
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


def device(index: int, **facts: Any) -> MThreadsDevice:
    return MThreadsDevice(
        id=f"mthreads:{index}", index=index, backend="mthreads", vendor="Moore Threads", kind="gpu", **facts
    )


@pytest.mark.parametrize(
    ("facts", "here"),
    [
        ({"nodes": ["/dev/mtgpu.3"]}, True),
        ({"nodes": ["/sys/module/mtgpu"]}, True),
        ({"files": pci_files("0000:3b:00.0", "1ed5", "0400")}, True),
        ({"files": pci_files("0000:3b:00.1", "1ed5", "02ff")}, False),
        ({"nodes": ["/dev/mtgpu.x"]}, False),
    ],
)
def test_any_one_sign_is_enough(machine: Callable[..., RecordedMachine], facts: dict[str, Any], here: bool) -> None:
    assert BACKEND.detect(machine(**facts)) is here


def test_the_two_answers_and_the_bus_are_one(machine: Callable[..., RecordedMachine]) -> None:
    recorded = machine(
        nodes=["/dev/mtgpu.0"],
        files=pci_files("0000:1b:00.0", "1ed5", "0323") | pci_files("0000:1b:00.1", "1ed5", "03ff"),
        commands=[
            command(["mthreads-gmi"], "table"),
            command(["mthreads-gmi", "--query", "--json"], "query-json-on-one-line"),
        ],
    )
    reports = BACKEND.probe(recorded, Request())
    devices, _ = merged_devices(reports)
    assert [d.id for d in devices] == ["mthreads:0", "mthreads:1"]
    assert (devices[0].pci_id, devices[0].numa_node) == ("1ed5:0323", 1)
    memory = BACKEND.memory(recorded, "mthreads:0")
    assert memory is not None
    assert memory.used_bytes == 2 << 30
    assert [len(found or ()) for found in BACKEND.processes(recorded).values()] == [1, 0]
    assert BACKEND.sample(recorded, [device(0)])[0].temperature_celsius == 49


def test_a_mask_of_uuids_leaves_visibility_unknown() -> None:
    mask = {"MUSA_VISIBLE_DEVICES": "bf1da7bf-5c0e-1f2d-8a3b-90c1d2e3f405"}
    assert BACKEND.visible([device(0)], mask)[0].visible is None


@pytest.mark.parametrize(
    ("variables", "names"),
    [
        ({}, ["musa:0", "musa:1", "musa:2"]),
        ({"MUSA_VISIBLE_DEVICES": "2,0"}, ["musa:1", None, "musa:0"]),
        ({"MUSA_VISIBLE_DEVICES": "0,9,1"}, ["musa:0", None, None]),
        ({"MUSA_VISIBLE_DEVICES": "1,1,2"}, [None, None, None]),
        ({"MUSA_VISIBLE_DEVICES": ""}, [None, None, None]),
        ({"MTHREADS_VISIBLE_DEVICES": "1"}, ["musa:0", "musa:1", "musa:2"]),
    ],
)
def test_the_runtime_mask_picks_and_orders(variables: dict[str, str], names: list[str | None]) -> None:
    shown = BACKEND.visible([device(0), device(1), device(2)], variables)
    assert [d.runtime_names for d in shown] == [(name,) if name else () for name in names]
    assert [d.visible for d in shown] == [name is not None for name in names]


def test_without_the_tool_the_bus_counts_and_the_tool_is_a_gap(machine: Callable[..., RecordedMachine]) -> None:
    reports = BACKEND.probe(machine(files=pci_files("0000:3b:00.0", "1ed5", "0323")), Request())
    devices, _ = merged_devices(reports)
    assert [(d.id, d.pci_address, d.pci_id, d.numa_node) for d in devices] == [
        ("mthreads:0", "0000:3b:00.0", "1ed5:0323", 1)
    ]
    assert devices[0].memory_total_bytes is None
    assert ["not" in gap.reason for report in reports for gap in report.gaps] == [True]
    assert [one.fact for report in reports for one in report.observations] == ["mthreads-driver-absent"]


def test_a_tool_that_hangs_or_talks_nonsense_is_a_gap(machine: Callable[..., RecordedMachine]) -> None:
    hung = BACKEND.probe(machine(commands=[{"argv": ["mthreads-gmi"], "timed_out": True}]), Request())
    assert "killed" in hung[0].gaps[0].reason
    odd = BACKEND.probe(machine(commands=[{"argv": ["mthreads-gmi"], "stdout": "\x07oops", "exit_code": 3}]), Request())
    assert odd[0].status == "failed"
    assert "exited with 3: oops" in odd[0].gaps[0].reason
    assert merged_devices([*hung, *odd])[0] == ()


def test_a_call_that_hung_before_is_not_made_again(machine: Callable[..., RecordedMachine]) -> None:
    answers = [command(["mthreads-gmi"], "table")]
    reports = BACKEND.probe(machine(commands=answers), Request(skip=frozenset({("mthreads-gmi", None)})))
    assert merged_devices(reports)[0] == ()


def test_no_device_is_none_and_nothing_raises(machine: Callable[..., RecordedMachine]) -> None:
    backend, empty = BACKEND, machine()
    assert backend.detect(empty) is False
    assert merged_devices(backend.probe(empty, Request()))[0] == ()
    assert backend.memory(empty, "mthreads:0") is None
    assert backend.processes(empty) == {}
    stale = backend.sample(empty, [device(0, memory_used_bytes=5, health="ok")])[0]
    assert (stale.memory_used_bytes, stale.health) == (None, "unknown")
