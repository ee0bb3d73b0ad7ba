"""NVIDIA's GPUs: NVML on a live machine, and what nvidia-smi and its companions print."""

from typing import TYPE_CHECKING

from accel.contract.hookspecs import hookimpl
from accel.contract.vendor import Vendor
from accel_nvidia.model import NvidiaDevice

if TYPE_CHECKING:
    from accel.contract.backend import Backend

VENDOR = Vendor(
    name="nvidia",
    maker="NVIDIA",
    kind="gpu",
    package=__name__,
    record=NvidiaDevice,
    pci_ids=("10de",),
    nodes=("/dev/nvidiactl",),
    traces=(
        "/dev/dxg",  # WSL
        "/proc/driver/nvidia/version",
        "/sys/module/nvidia",
        "lib:libnvidia-ml.so.1",
        "lib:nvml.dll",
    ),
    own=("visibility",),
)


@hookimpl
def accel_backend() -> "Backend":
    from accel_nvidia.backend import NvidiaBackend

    return NvidiaBackend()
