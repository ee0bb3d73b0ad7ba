"""dcgm-exporter's names, units and labels, as its own output has them."""

from dataclasses import replace

from accel_nvidia.metrics import DCGM
from accel_nvidia.model import NvidiaDevice

from accel.model.readings import READINGS

DEVICE = NvidiaDevice(
    id="nvidia:1",
    index=1,
    backend="nvidia",
    vendor="NVIDIA",
    kind="gpu",
    name="NVIDIA A100 80GB PCIe",
    uuid="GPU-d6dd33b9",
    pci_address="0000:3b:00.0",
    driver_version="535.104.05",
)


def test_labels_are_those_of_dcgm_exporter() -> None:
    assert DCGM.labels(DEVICE, "node7") == {
        "gpu": "1",
        "UUID": "GPU-d6dd33b9",
        "pci_bus_id": "00000000:3B:00.0",
        "device": "nvidia1",
        "modelName": "NVIDIA A100 80GB PCIe",
        "Hostname": "node7",
        "DCGM_FI_DRIVER_VERSION": "535.104.05",
    }


def test_a_partition_is_told_by_its_profile_and_its_instance() -> None:
    part = replace(DEVICE, id="nvidia:1/mig0", parent="nvidia:1", mig_profile="1g.10gb", gpu_instance_id=7)
    labels = DCGM.labels(part, "node7")
    assert (labels["gpu"], labels["GPU_I_PROFILE"], labels["GPU_I_ID"]) == ("1", "1g.10gb", "7")


def test_each_name_is_of_a_reading_that_exists_and_stands_once() -> None:
    assert {one.reading for one in DCGM.names} <= set(READINGS)
    assert len({one.name for one in DCGM.names}) == len(DCGM.names)
