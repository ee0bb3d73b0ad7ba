"""dcgm-exporter's names of readings, and its labels of devices.

Source  github.com/NVIDIA/dcgm-exporter, etc/default-counters.csv and the format of its metrics, read 2026-11-22:
        gauges in the units of their help; energy a counter in mJ; labels gpu, UUID, pci_bus_id, device, modelName,
        GPU_I_PROFILE and GPU_I_ID of a partition, Hostname, DCGM_FI_DRIVER_VERSION
"""

from collections.abc import Mapping
from typing import Final

from accel.model.device import Device
from accel.vendors.contract.metric_names import MetricName, MetricNames

_MEBIBYTE: Final = 2.0**-20


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
    names=(
        MetricName(name="DCGM_FI_DEV_SM_CLOCK", reading="clock_mhz", help="SM clock frequency (in MHz)."),
        MetricName(name="DCGM_FI_DEV_MEM_CLOCK", reading="clock_memory_mhz", help="Memory clock frequency (in MHz)."),
        MetricName(
            name="DCGM_FI_DEV_MEMORY_TEMP", reading="memory_temperature_celsius", help="Memory temperature (in C)."
        ),
        MetricName(name="DCGM_FI_DEV_GPU_TEMP", reading="temperature_celsius", help="GPU temperature (in C)."),
        MetricName(name="DCGM_FI_DEV_POWER_USAGE", reading="power_watts", help="Power draw (in W)."),
        MetricName(
            name="DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
            reading="energy_joules",
            factor=1000.0,
            kind="counter",
            help="Total energy consumption since boot (in mJ).",
        ),
        MetricName(name="DCGM_FI_DEV_GPU_UTIL", reading="busy_percent", help="GPU utilization (in %)."),
        MetricName(name="DCGM_FI_DEV_MEM_COPY_UTIL", reading="memory_busy_percent", help="Memory utilization (in %)."),
        MetricName(name="DCGM_FI_DEV_ENC_UTIL", reading="encoder_percent", help="Encoder utilization (in %)."),
        MetricName(name="DCGM_FI_DEV_DEC_UTIL", reading="decoder_percent", help="Decoder utilization (in %)."),
        MetricName(
            name="DCGM_FI_DEV_FB_FREE",
            reading="memory_free_bytes",
            factor=_MEBIBYTE,
            help="Framebuffer memory free (in MiB).",
        ),
        MetricName(
            name="DCGM_FI_DEV_FB_USED",
            reading="memory_used_bytes",
            factor=_MEBIBYTE,
            help="Framebuffer memory used (in MiB).",
        ),
        MetricName(
            name="DCGM_FI_PROF_SM_ACTIVE",
            reading="saturated_percent",
            factor=0.01,
            help="Ratio of cycles in which an SM has a warp assigned, from GPM.",
        ),
        MetricName(
            name="DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
            reading="tensor_percent",
            factor=0.01,
            help="Ratio of cycles in which the tensor pipe is active, from GPM.",
        ),
        MetricName(
            name="DCGM_FI_PROF_DRAM_ACTIVE",
            reading="memory_bandwidth_percent",
            factor=0.01,
            help="Ratio of cycles in which the device memory sends or receives, from GPM.",
        ),
    ),
)
NAMES: Final = (DCGM,)
