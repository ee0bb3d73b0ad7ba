"""The backend on recorded machines: ixsmi answers, hangs, is missing or talks nonsense."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from accel_iluvatar.backend import IluvatarBackend
from accel_iluvatar.checks import iluvatar_checks
from accel_iluvatar.model import iluvatar_device

from accel.backend import Request
from accel.facts import Facts
from accel.merge import merged_devices
from accel.model.snapshot import Snapshot
from accel.specs import load
from accel.testing import RecordedMachine

TABLE = (Path(__file__).parent / "texts" / "table-of-4.4.0.txt").read_text()
PCI = "/sys/bus/pci/devices/0000:3b:00.0"
ON_BUS = {f"{PCI}/vendor": "0x1e3e\n", f"{PCI}/device": "0x0002\n", f"{PCI}/numa_node": "1\n"}


@pytest.fixture
def machine(tmp_path: Path) -> Callable[..., RecordedMachine]:
    def recorded(**facts: Any) -> RecordedMachine:
        (tmp_path / "machine.yaml").write_text(yaml.safe_dump(facts))
        return RecordedMachine(tmp_path)

    return recorded


def answering(text: str = TABLE, **more: Any) -> dict[str, Any]:
    return {"nodes": ["/dev/iluvatar0"], "commands": [{"argv": ["ixsmi"], "stdout": text, **more}]}


@pytest.mark.parametrize("facts", [{"nodes": ["/dev/iluvatar0"]}, {"files": ON_BUS}])
def test_a_node_or_a_device_on_the_bus_is_a_sign(
    machine: Callable[..., RecordedMachine], facts: dict[str, Any]
) -> None:
    assert IluvatarBackend().detect(machine(**facts)) is True


def test_another_makers_device_is_no_sign(machine: Callable[..., RecordedMachine]) -> None:
    other = {f"{PCI}/vendor": "0x10de\n", f"{PCI}/device": "0x2330\n"}
    assert IluvatarBackend().detect(machine(files=other, nodes=["/dev/nvidia0"])) is False


def test_the_table_is_read_and_merged_with_the_bus(machine: Callable[..., RecordedMachine]) -> None:
    table_first = IluvatarBackend().probe(machine(**answering()), Request())[0].devices[0]
    assert table_first.pci_address is not None
    place = f"/sys/bus/pci/devices/{table_first.pci_address}"
    files = {f"{place}/vendor": "0x1e3e", f"{place}/device": "0x0002", f"{place}/numa_node": "1"}
    found, gaps = merged_devices(IluvatarBackend().probe(machine(**answering(), files=files), Request()))
    assert (found[0].name, found[0].pci_id, found[0].numa_node) == (table_first.name, "1e3e:0002", 1)
    assert gaps == ()


@pytest.mark.parametrize(
    ("answer", "event"),
    [
        ({"nodes": ["/dev/iluvatar0"]}, "iluvatar-tool-missing"),
        (answering(timed_out=True, text=""), "iluvatar-tool-hung"),
        (answering(text="no such driver", exit_code=9), "iluvatar-tool-no-list"),
    ],
)
def test_a_tool_that_lists_nothing_is_a_gap_with_its_reason(
    machine: Callable[..., RecordedMachine], answer: dict[str, Any], event: str
) -> None:
    found = IluvatarBackend().probe(machine(**answer), Request())
    assert [e.name for report in found for e in report.events] == [event]
    assert [report.status for report in found] == ["failed", "ok"]
    assert [gap.fact for report in found for gap in report.gaps] == ["devices"]
    assert merged_devices(found)[0] == ()


def test_a_call_that_hung_before_is_not_made_again(machine: Callable[..., RecordedMachine]) -> None:
    found = IluvatarBackend().probe(machine(**answering()), Request(skip=frozenset({("ixsmi", None)})))
    assert merged_devices(found)[0] == ()


def test_without_the_driver_the_bus_tells_the_devices_and_a_check_the_fault(
    machine: Callable[..., RecordedMachine],
) -> None:
    found = tuple(IluvatarBackend().probe(machine(files=ON_BUS), Request()))
    devices, _ = merged_devices(found)
    assert [(d.id, d.pci_address, d.name, d.memory_total_bytes) for d in devices] == [
        ("iluvatar:0", "0000:3b:00.0", None, None)
    ]
    problems = list(iluvatar_checks()[0].run(Facts(Snapshot(reports=found)), load()))
    assert len(problems) == 1
    assert "driver is not loaded" in problems[0].title


def test_memory_and_samples_and_processes_come_from_the_table(machine: Callable[..., RecordedMachine]) -> None:
    backend, here = IluvatarBackend(), machine(**answering())
    devices = merged_devices(backend.probe(here, Request()))[0]
    memory = backend.memory(here, devices[0].id)
    assert memory is not None
    assert memory.total_bytes == devices[0].memory_total_bytes
    assert backend.memory(here, "iluvatar:99") is None
    stale = iluvatar_device(devices[0].index)
    assert backend.sample(here, [stale])[0].temperature_celsius == devices[0].temperature_celsius
    assert backend.processes(here)[devices[0].id] == devices[0].processes


@pytest.mark.parametrize(
    ("variables", "shown", "names"),
    [
        ({}, [True, True, True], ["cuda:0", "cuda:1", "cuda:2"]),
        ({"CUDA_VISIBLE_DEVICES": "2,0"}, [True, False, True], ["cuda:1", None, "cuda:0"]),
        ({"CUDA_VISIBLE_DEVICES": ""}, [False, False, False], [None, None, None]),
        ({"CUDA_VISIBLE_DEVICES": "1,7,0"}, [False, True, False], [None, "cuda:0", None]),
        ({"CUDA_VISIBLE_DEVICES": "1,1"}, [False, False, False], [None, None, None]),
        ({"CUDA_VISIBLE_DEVICES": "DRS-5c1e"}, [None, None, None], [None, None, None]),
    ],
)
def test_the_mask_variable_is_followed(
    variables: dict[str, str], shown: list[bool | None], names: list[str | None]
) -> None:
    found = IluvatarBackend().visible([iluvatar_device(index) for index in range(3)], variables)
    assert [device.visible for device in found] == shown
    assert [device.runtime_names[0] if device.runtime_names else None for device in found] == names


def test_a_part_of_the_list_tells_no_order() -> None:
    found = IluvatarBackend().visible([iluvatar_device(4)], {})
    assert (found[0].visible, found[0].runtime_names) == (None, None)
