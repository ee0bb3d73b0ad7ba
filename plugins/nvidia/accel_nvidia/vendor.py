"""What is stated of NVIDIA."""

from accel.contract.vendor import Vendor
from accel_nvidia.model import NvidiaDevice

VENDOR = Vendor(
    name="nvidia",
    maker="NVIDIA",
    kind="gpu",
    package=__package__,
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
    own=("visibility", "backend"),
)
