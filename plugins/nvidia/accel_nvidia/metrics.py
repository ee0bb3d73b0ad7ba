"""dcgm-exporter's names of readings (specs/nvidia/dcgm_metrics.yaml), and its labels of devices.

Source  github.com/NVIDIA/dcgm-exporter, read 2026-11-22: labels gpu, UUID, pci_bus_id, device, modelName,
        GPU_I_PROFILE and GPU_I_ID of a partition, Hostname, DCGM_FI_DRIVER_VERSION
"""

from collections.abc import Mapping
from typing import Final

from accel.model.device import Device
from accel.specs.store import bundled
from accel.vendors.contract.metric_names import MetricName, MetricNames


def _labels(device: Device, host: str) -> Mapping[str, str]:
    number = (device.parent or device.id).rpartition(":")[2]
    labels = {"gpu": number, "UUID": device.uuid or "", "device": f"nvidia{number}", "modelName": device.name or ""}
    if device.pci_address:
        labels["pci_bus_id"] = f"0000{device.pci_address}".upper()
    profile, instance = getattr(device, "mig_profile", None), getattr(device, "gpu_instance_id", None)
    if profile is not None and instance is not None:
        labels |= {"GPU_I_PROFILE": profile, "GPU_I_ID": str(instance)}
    if device.driver_version:
        labels["DCGM_FI_DRIVER_VERSION"] = device.driver_version
    return {**labels, "Hostname": host}


DCGM: Final = MetricNames(
    exporter="dcgm",
    labels=_labels,
    names=tuple(MetricName(**row) for row in bundled().table("nvidia/dcgm_metrics")["metrics"]),
)
NAMES: Final = (DCGM,)
