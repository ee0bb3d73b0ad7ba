"""Four vendors' backends on recorded machines: the tool answers, hangs, is missing or talks nonsense."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import accel_enflame
import accel_iluvatar
import accel_kunlun
import accel_metax
import pytest
import yaml

from accel.diagnose.engine import diagnose
from accel.machine.recorded import RecordedMachine
from accel.model.merge import merged_devices
from accel.model.snapshot import Snapshot
from accel.specs import load
from accel.vendors.contract.backend import Request
from accel.vendors.contract.vendor import Vendor
from accel.vendors.toolkit.members import checks_of
from accel.vendors.toolkit.vendor_backend import VendorBackend

PLUGINS = Path(__file__).parent.parent / "plugins"
PCI = "/sys/bus/pci/devices/0000:3b:00.0"


@dataclass(kw_only=True)
class Tried:
    """What differs. mask: the variable that its runtime reads; runtime: what programs call its devices first."""

    stated: Vendor[Any]
    tool: str
    node: str
    pci_id: str
    text: str
    mask: str
    runtime: str

    @cached_property
    def backend(self) -> VendorBackend:
        return VendorBackend(self.stated)

    @property
    def table(self) -> str:
        return (PLUGINS / self.stated.name / "tests" / "texts" / self.text).read_text(encoding="utf-8")

    def on_bus(self, place: str = PCI) -> dict[str, str]:
        maker, product = self.pci_id.split(":")
        return {f"{place}/vendor": f"0x{maker}\n", f"{place}/device": f"0x{product}\n", f"{place}/numa_node": "1\n"}

    def answering(self, text: str | None = None, **more: Any) -> dict[str, Any]:
        stdout = self.table if text is None else text
        return {"nodes": [self.node], "commands": [{"argv": [self.tool], "stdout": stdout, **more}]}


VENDORS = (
    Tried(
        stated=accel_enflame.VENDOR, tool="efsmi", node="/dev/gcu0",
        pci_id="1e36:c035", text="table-of-1.7.2.txt", mask="TOPS_VISIBLE_DEVICES", runtime="gcu",
    ),
    Tried(
        stated=accel_iluvatar.VENDOR, tool="ixsmi",
        node="/dev/iluvatar0", pci_id="1e3e:0002", text="table-of-4.4.0.txt",
        mask="CUDA_VISIBLE_DEVICES", runtime="cuda",
    ),
    Tried(
        stated=accel_kunlun.VENDOR, tool="xpu_smi", node="/dev/xpu0",
        pci_id="1d22:3688", text="table-of-5.19.txt", mask="XPU_VISIBLE_DEVICES", runtime="xpu",
    ),
    Tried(
        stated=accel_metax.VENDOR, tool="mx-smi", node="/dev/mxcd",
        pci_id="9999:4001", text="table-of-2.2.8.txt", mask="MACA_VISIBLE_DEVICES", runtime="cuda",
    ),
)  # fmt: skip


@pytest.fixture(params=VENDORS, ids=lambda vendor: vendor.stated.name)
def vendor(request: pytest.FixtureRequest) -> Tried:
    found: Tried = request.param
    return found


@pytest.fixture
def machine(tmp_path: Path) -> Callable[..., RecordedMachine]:
    def recorded(**facts: Any) -> RecordedMachine:
        (tmp_path / "machine.yaml").write_text(yaml.safe_dump(facts))
        return RecordedMachine(tmp_path)

    return recorded


@pytest.mark.parametrize("sign", ["node", "bus"])
def test_a_node_or_a_device_on_the_bus_is_a_sign(
    vendor: Tried, machine: Callable[..., RecordedMachine], sign: str
) -> None:
    facts: dict[str, Any] = {"nodes": [vendor.node]} if sign == "node" else {"files": vendor.on_bus()}
    assert vendor.backend.detect(machine(**facts)) is True


def test_another_makers_device_is_no_sign(vendor: Tried, machine: Callable[..., RecordedMachine]) -> None:
    other = {f"{PCI}/vendor": "0x10de\n", f"{PCI}/device": "0x2330\n"}
    assert vendor.backend.detect(machine(files=other, nodes=["/dev/nvidia0"])) is False


def test_the_table_is_read_and_merged_with_the_bus(vendor: Tried, machine: Callable[..., RecordedMachine]) -> None:
    table_first = vendor.backend.probe(machine(**vendor.answering()), Request())[0].devices[0]
    assert table_first.pci_address is not None
    place = f"/sys/bus/pci/devices/{table_first.pci_address}"
    files = vendor.on_bus(place)
    found, gaps = merged_devices(vendor.backend.probe(machine(**vendor.answering(), files=files), Request()))
    assert (found[0].name, found[0].pci_id, found[0].numa_node) == (table_first.name, vendor.pci_id, 1)
    assert gaps == ()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "is not installed"),
        ({"timed_out": True, "text": ""}, "gave no answer"),
        ({"text": "no such driver", "exit_code": 9}, "exited with 9: no such driver"),
    ],
)
def test_a_tool_that_lists_nothing_is_a_gap_with_its_reason(
    vendor: Tried, machine: Callable[..., RecordedMachine], answer: dict[str, Any] | None, reason: str
) -> None:
    facts = {"nodes": [vendor.node]} if answer is None else vendor.answering(**answer)
    found = vendor.backend.probe(machine(**facts), Request())
    assert [report.status for report in found] == ["failed", "ok"]
    assert [(gap.fact, reason in gap.reason) for report in found for gap in report.gaps] == [("devices", True)]
    assert merged_devices(found)[0] == ()


def test_a_call_that_hung_before_is_not_made_again(vendor: Tried, machine: Callable[..., RecordedMachine]) -> None:
    found = vendor.backend.probe(machine(**vendor.answering()), Request(skip=frozenset({(vendor.tool, None)})))
    assert merged_devices(found)[0] == ()


def test_without_the_driver_the_bus_tells_the_devices_and_a_check_the_fault(
    vendor: Tried, machine: Callable[..., RecordedMachine]
) -> None:
    found = tuple(vendor.backend.probe(machine(files=vendor.on_bus()), Request()))
    devices, _ = merged_devices(found)
    assert [(d.id, d.pci_address, d.name, d.memory_total_bytes) for d in devices] == [
        (f"{vendor.backend.name}:0", "0000:3b:00.0", None, None)
    ]
    diagnosis = diagnose(Snapshot(reports=found), load(), checks_of(vendor.stated.package), ())
    assert [finding.family for finding in diagnosis.findings] == ["driver-not-loaded"]


def test_memory_and_samples_and_processes_come_from_the_table(
    vendor: Tried, machine: Callable[..., RecordedMachine]
) -> None:
    backend, here = vendor.backend, machine(**vendor.answering())
    devices = merged_devices(backend.probe(here, Request()))[0]
    memory = backend.memory(here, devices[0].id)
    assert memory is not None
    assert memory.total_bytes == devices[0].memory_total_bytes
    assert backend.memory(here, f"{backend.name}:99") is None
    stale = vendor.stated.device(devices[0].index)
    assert backend.sample(here, [stale])[0].temperature_celsius == devices[0].temperature_celsius
    assert backend.processes(here)[devices[0].id] == devices[0].processes


@pytest.mark.parametrize(
    ("mask", "shown", "numbers"),
    [
        (None, [True, True, True], [0, 1, 2]),
        ("2,0", [True, False, True], [1, None, 0]),
        ("", [False, False, False], [None, None, None]),
        ("1,7,0", [False, True, False], [None, 0, None]),
        ("1,1", [False, False, False], [None, None, None]),
        ("DRS-5c1e", [None, None, None], [None, None, None]),
    ],
)
def test_the_mask_variable_is_followed(
    vendor: Tried, mask: str | None, shown: list[bool | None], numbers: list[int | None]
) -> None:
    variables = {} if mask is None else {vendor.mask: mask}
    names = [None if number is None else f"{vendor.runtime}:{number}" for number in numbers]
    found = vendor.backend.visible([vendor.stated.device(index) for index in range(3)], variables)
    assert [device.visible for device in found] == shown
    assert [device.runtime_names[0] if device.runtime_names else None for device in found] == names


def test_a_part_of_the_list_tells_no_order(vendor: Tried) -> None:
    found = vendor.backend.visible([vendor.stated.device(4)], {})
    assert (found[0].visible, found[0].runtime_names) == (None, None)


@pytest.mark.parametrize("vendor", VENDORS[2:], indirect=True, ids=["kunlun", "metax"])
def test_two_masks_that_differ_leave_it_open(vendor: Tried) -> None:
    devices = [vendor.stated.device(index) for index in range(2)]
    unlike = vendor.backend.visible(devices, {vendor.mask: "0", "CUDA_VISIBLE_DEVICES": "1"})
    assert [device.visible for device in unlike] == [None, None]
    alike = vendor.backend.visible(devices, {vendor.mask: "1", "CUDA_VISIBLE_DEVICES": "1"})
    assert [device.visible for device in alike] == [False, True]
