"""What a device's model tells of it where its source did not."""

from dataclasses import replace
from pathlib import Path

import pytest
from accel_amd.model import AmdDevice

from accel.collect.chip_facts import completed
from accel.collect.live import reports
from accel.machine.recorded import RecordedMachine
from accel.model.device import Device
from accel.model.merge import merged_devices
from accel.plugins.registry import Registry
from accel.specs import load

TOP = Path(__file__).parent.parent
GPU = Device(id="nvidia:0", index=0, backend="nvidia", vendor="NVIDIA", kind="gpu")


@pytest.mark.parametrize(
    ("known", "architecture", "capability"),
    [
        ({"pci_id": "10de:2684"}, "ada", "8.9"),
        ({"name": "NVIDIA L4"}, "ada", "8.9"),
        ({"name": "NVIDIA L4", "architecture": "of-the-driver"}, "of-the-driver", "8.9"),
        ({"name": "NVIDIA Graphics Device"}, None, None),
        ({}, None, None),
    ],
)
def test_the_model_fills_what_is_not_known(
    known: dict[str, str], architecture: str | None, capability: str | None
) -> None:
    (device,) = completed([replace(GPU, **known)], load())  # type: ignore[arg-type]
    assert (device.architecture, device.compute_capability) == (architecture, capability)


def test_a_partition_is_of_its_whole_devices_chip() -> None:
    part = replace(GPU, id="nvidia:0/1", parent="nvidia:0", name="MIG 1g.10gb")
    whole = replace(GPU, name="NVIDIA H100 80GB HBM3")
    assert {device.compute_capability for device in completed([whole, part], load())} == {"9.0"}


@pytest.mark.parametrize("vendor", ["hygon", "cambricon", "enflame", "kunlun", "metax", "mthreads", "iluvatar"])
def test_each_vendors_devices_have_an_architecture(vendor: str) -> None:
    machine = RecordedMachine(TOP / "plugins" / vendor / "tests" / "machines" / "healthy")
    found, _ = merged_devices(reports(machine, Registry({}), depth="devices", isolate=False, timeout_seconds=5))
    assert [device.id for device in found if device.kind != "cpu" and device.architecture is None] == []


@pytest.mark.parametrize(
    ("stated", "is_partition"),
    [
        ({}, False),
        ({"compute_partition": "SPX", "memory_partition": "NPS1", "partition_id": 0}, False),
        ({"compute_partition": "CPX", "memory_partition": "NPS4", "partition_id": 0}, True),
        ({"compute_partition": "SPX", "memory_partition": "NPS4"}, True),
        ({"partition_id": 3}, True),
    ],
)
def test_amd_partitions_are_known_as_such(stated: dict[str, object], is_partition: bool) -> None:
    it = AmdDevice(id="amd:0", index=0, backend="amd", vendor="AMD", kind="gpu", **stated)  # type: ignore[arg-type]
    assert it.is_partition is is_partition
