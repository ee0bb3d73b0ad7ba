"""Backends of vendors with a tool of their own: the tool answers, hangs, is missing or talks nonsense."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import accel_cambricon
import accel_enflame
import accel_hygon
import accel_iluvatar
import accel_kunlun
import accel_metax
import accel_mthreads
import pytest
import yaml

from accel.diagnose.engine import diagnose
from accel.machine.recorded import RecordedMachine
from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.model.snapshot import Snapshot
from accel.specs import load
from accel.vendors.contract.backend import Request
from accel.vendors.contract.vendor import Vendor
from accel.vendors.toolkit.members import checks_of
from accel.vendors.toolkit.vendor_backend import VendorBackend

PLUGINS = Path(__file__).parent.parent / "plugins"
PCI = "/sys/bus/pci/devices/0000:3b:00.0"


def pci_files(pci_id: str, place: str = PCI) -> dict[str, str]:
    maker, product = pci_id.split(":")
    return {f"{place}/vendor": f"0x{maker}\n", f"{place}/device": f"0x{product}\n", f"{place}/numa_node": "1\n"}


@dataclass(kw_only=True)
class Tried:
    """What differs. mask: the variable that its runtime reads; runtime: what programs call its devices first.

    table_is_all  whether one answer of the tool has addresses and sizes; else a second one has them
    """

    stated: Vendor[Any]
    tool: str
    node: str
    pci_id: str
    text: str
    mask: str
    runtime: str
    table_is_all: bool = True

    @cached_property
    def backend(self) -> VendorBackend:
        return VendorBackend(self.stated)

    @property
    def table(self) -> str:
        return (PLUGINS / self.stated.name / "tests" / "texts" / self.text).read_text(encoding="utf-8")

    def on_bus(self, place: str = PCI) -> dict[str, str]:
        return pci_files(self.pci_id, place)

    def devices(self, count: int) -> list[Device]:
        return [self.stated.device(index) for index in range(count)]

    def command(self, argv: str, text: str) -> dict[str, Any]:
        stdout = (PLUGINS / self.stated.name / "tests" / "texts" / f"{text}.txt").read_text(encoding="utf-8")
        return {"argv": argv.split(), "stdout": stdout}

    def answering(self, text: str | None = None, **more: Any) -> dict[str, Any]:
        stdout = self.table if text is None else text
        return {"nodes": [self.node], "commands": [{"argv": [self.tool], "stdout": stdout, **more}]}


VENDORS = (
    Tried(
        stated=accel_cambricon.VENDOR, tool="cnmon", node="/dev/cambricon_dev0",
        pci_id="cabc:0370", text="table-of-4.20.txt", mask="MLU_VISIBLE_DEVICES", runtime="mlu",
        table_is_all=False,
    ),
    Tried(
        stated=accel_hygon.VENDOR, tool="hy-smi", node="/sys/module/hydcu",
        pci_id="1d94:6210", text="table-hcu.txt", mask="HIP_VISIBLE_DEVICES", runtime="cuda",
        table_is_all=False,
    ),
    Tried(
        stated=accel_mthreads.VENDOR, tool="mthreads-gmi", node="/dev/mtgpu.0",
        pci_id="1ed5:0323", text="table.txt", mask="MUSA_VISIBLE_DEVICES", runtime="musa",
    ),
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
BY_NAME = {vendor.stated.name: vendor for vendor in VENDORS}


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


@pytest.mark.parametrize(
    ("name", "facts", "here"),
    [
        ("cambricon", {"nodes": ["/dev/cambricon_ctl"]}, True),
        ("cambricon", {"nodes": ["/proc/driver/cambricon/mlus"]}, True),
        ("hygon", {"nodes": ["/opt/hyhal/bin/hy-smi"]}, True),
        ("hygon", {"nodes": ["/dev/kfd"]}, False),
        ("hygon", {"files": pci_files("1d94:1450")}, False),
        ("mthreads", {"nodes": ["/sys/module/mtgpu"]}, True),
        ("mthreads", {"nodes": ["/dev/mtgpu.x"]}, False),
        ("mthreads", {"files": pci_files("1ed5:02ff")}, False),
    ],
)
def test_other_signs(machine: Callable[..., RecordedMachine], name: str, facts: dict[str, Any], here: bool) -> None:
    assert BY_NAME[name].backend.detect(machine(**facts)) is here


def test_another_makers_device_is_no_sign(vendor: Tried, machine: Callable[..., RecordedMachine]) -> None:
    other = {f"{PCI}/vendor": "0x10de\n", f"{PCI}/device": "0x2330\n"}
    assert vendor.backend.detect(machine(files=other, nodes=["/dev/nvidia0"])) is False


@pytest.mark.parametrize("vendor", [v for v in VENDORS if v.table_is_all], indirect=True, ids=lambda v: v.stated.name)
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
        ({"text": "\x07no such driver", "exit_code": 9}, "exited with 9: no such driver"),
    ],
)
def test_a_tool_that_lists_nothing_is_a_gap_with_its_reason(
    vendor: Tried, machine: Callable[..., RecordedMachine], answer: dict[str, Any] | None, reason: str
) -> None:
    facts = {"nodes": [vendor.node]} if answer is None else vendor.answering(**answer)
    found = vendor.backend.probe(machine(**facts), Request())
    *asked, bus = found
    assert {report.status for report in asked} == {"failed"}
    assert (bus.status, bus.gaps) == ("ok", ())
    assert {gap.fact for report in asked for gap in report.gaps} == {"devices"}
    assert [reason in gap.reason for gap in asked[0].gaps] == [True]
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
    assert (memory.total_bytes if memory else None) == devices[0].memory_total_bytes
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
    found = vendor.backend.visible(vendor.devices(3), variables)
    assert [device.visible for device in found] == shown
    assert [device.runtime_names[0] if device.runtime_names else None for device in found] == names


def test_a_part_of_the_list_tells_no_order(vendor: Tried) -> None:
    found = vendor.backend.visible([vendor.stated.device(4)], {})
    assert (found[0].visible, found[0].runtime_names) == (None, None)


@pytest.mark.parametrize("vendor", VENDORS[-2:], indirect=True, ids=["kunlun", "metax"])
def test_two_masks_that_differ_leave_it_open(vendor: Tried) -> None:
    devices = vendor.devices(2)
    unlike = vendor.backend.visible(devices, {vendor.mask: "0", "CUDA_VISIBLE_DEVICES": "1"})
    assert [device.visible for device in unlike] == [None, None]
    alike = vendor.backend.visible(devices, {vendor.mask: "1", "CUDA_VISIBLE_DEVICES": "1"})
    assert [device.visible for device in alike] == [False, True]


def test_no_device_is_none_and_nothing_raises(vendor: Tried, machine: Callable[..., RecordedMachine]) -> None:
    backend, empty = vendor.backend, machine()
    assert backend.detect(empty) is False
    assert merged_devices(backend.probe(empty, Request()))[0] == ()
    assert backend.memory(empty, f"{backend.name}:0") is None
    assert backend.processes(empty) == {}
    known = replace(vendor.stated.device(0), memory_used_bytes=5, health="ok")
    stale = backend.sample(empty, [known])[0]
    assert (stale.memory_used_bytes, stale.health) == (None, "unknown")


def test_a_mask_of_containers_alone_hides_nothing() -> None:
    for name, variable in (("cambricon", "CAMBRICON_VISIBLE_DEVICES"), ("mthreads", "MTHREADS_VISIBLE_DEVICES")):
        shown = BY_NAME[name].backend.visible(BY_NAME[name].devices(2), {variable: "1"})
        assert [device.visible for device in shown] == [True, True]


def test_hygons_outer_mask_comes_first_and_cuda_is_one_too() -> None:
    hygon = BY_NAME["hygon"]
    masks = {"ROCR_VISIBLE_DEVICES": "2,1", "HIP_VISIBLE_DEVICES": "1", "CUDA_VISIBLE_DEVICES": "0"}
    assert [d.runtime_names for d in hygon.backend.visible(hygon.devices(3), masks)] == [(), ("cuda:0",), ()]
    shown = hygon.backend.visible(hygon.devices(3), {"CUDA_VISIBLE_DEVICES": "1"})
    assert [d.runtime_names for d in shown] == [(), ("cuda:0",), ()]


def test_cambricons_two_answers_and_the_drivers_file_are_one(machine: Callable[..., RecordedMachine]) -> None:
    vendor = BY_NAME["cambricon"]
    information = "Device name: MLU370-X4\nDevice inode path: /dev/cambricon_dev0\nBoard Serial Number: SN/77\n"
    recorded = machine(
        nodes=[vendor.node],
        files=vendor.on_bus("/sys/bus/pci/devices/0000:5e:00.0")
        | {"/proc/driver/cambricon/mlus/0000:5e:00.0/information": information},
        commands=[vendor.command("cnmon", "table-of-4.20"), vendor.command("cnmon info", "info")],
    )
    first = merged_devices(vendor.backend.probe(recorded, Request()))[0][0]
    assert (first.id, first.pci_id, first.numa_node, first.serial) == ("cambricon:0", "cabc:0370", 1, "77")
    assert (first.health, first.uuid) == ("ok", "81240917-0310-0000-0000-000000000000")
    memory = vendor.backend.memory(recorded, "cambricon:0")
    assert memory is not None
    assert memory.used_bytes == 1 << 30
    assert vendor.backend.sample(recorded, vendor.devices(1))[0].utilization_percent == 12
    assert vendor.backend.processes(recorded) == {"cambricon:0": None}


def test_hygons_two_answers_and_the_bus_are_one(machine: Callable[..., RecordedMachine]) -> None:
    vendor, tool = BY_NAME["hygon"], "/opt/hyhal/bin/hy-smi"
    asked = f"{tool} --showproductname --showbus --showmeminfo vram --showtemp --showuse --json"
    recorded = machine(
        nodes=["/dev/kfd"],
        files=vendor.on_bus("/sys/bus/pci/devices/0000:09:00.0") | pci_files("1d94:1450"),
        commands=[vendor.command(tool, "table-hcu"), vendor.command(asked, "json")],
    )
    devices, _ = merged_devices(vendor.backend.probe(recorded, Request()))
    assert [d.id for d in devices] == ["hygon:0", "hygon:1", "hygon:2"]
    assert (devices[0].name, devices[0].pci_id, devices[0].numa_node) == ("K100_AI", "1d94:6210", 1)
    assert devices[0].power_watts == 134
    memory = vendor.backend.memory(recorded, "hygon:0")
    assert memory is not None
    assert memory.total_bytes == 64 << 30
    assert vendor.backend.sample(recorded, vendor.devices(1))[0].memory_used_bytes == 2 << 20
    assert vendor.backend.processes(recorded) == {f"hygon:{n}": None for n in range(3)}


def test_moore_threads_two_answers_and_the_bus_are_one(machine: Callable[..., RecordedMachine]) -> None:
    vendor = BY_NAME["mthreads"]
    recorded = machine(
        nodes=[vendor.node],
        files=vendor.on_bus("/sys/bus/pci/devices/0000:1b:00.0")
        | pci_files("1ed5:03ff", "/sys/bus/pci/devices/0000:1b:00.1"),
        commands=[
            vendor.command("mthreads-gmi", "table"),
            vendor.command("mthreads-gmi --query --json", "query-json-on-one-line"),
        ],
    )
    devices, _ = merged_devices(vendor.backend.probe(recorded, Request()))
    assert [d.id for d in devices] == ["mthreads:0", "mthreads:1"]
    assert (devices[0].pci_id, devices[0].numa_node) == ("1ed5:0323", 1)
    memory = vendor.backend.memory(recorded, "mthreads:0")
    assert memory is not None
    assert memory.used_bytes == 2 << 30
    assert [len(found or ()) for found in vendor.backend.processes(recorded).values()] == [1, 0]
    assert vendor.backend.sample(recorded, vendor.devices(1))[0].temperature_celsius == 49
