"""The vendor definition of NVIDIA."""

from accel.vendors.contract.vendor import Daemon, Vendor
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
    held_nodes=(
        "/dev/nvidia<minor_number>",
        "/dev/nvidiactl",
        "/dev/nvidia-uvm",
        "/dev/nvidia-modeset",
        "/dev/nvidia-caps/nvidia-cap<N>",
        "/dev/dri/renderD<pci>",
        "/dev/dxg",
    ),
    memory_nodes=("/dev/nvidia-uvm", "/dev/nvidia-modeset", "/dev/dxg"),  # NVML queries open none of these
    daemons=(
        Daemon(program="nvidia-persistenced", role="persistence daemon"),
        Daemon(program="nv-fabricmanager", role="fabric manager", unit="nvidia-fabricmanager", version=("--version",)),
        Daemon(program="nvidia-cuda-mps-control", role="MPS control daemon"),
        Daemon(program="nvidia-cuda-mps-server", role="MPS server"),
        Daemon(program="nv-hostengine", role="DCGM host engine", unit="nvidia-dcgm", version=("--version",)),
        Daemon(program="dcgm-exporter", role="DCGM exporter"),
        Daemon(program="nvidia-device-plugin", role="Kubernetes device plugin"),
        Daemon(program="nvidia-powerd", role="power daemon"),
        Daemon(program="nvidia-gridd", role="vGPU licence daemon"),
        Daemon(program="nvidia-vgpu-mgr", role="vGPU manager"),
    ),
    reset="sudo nvidia-smi --gpu-reset -i {index:number}",
    own=("nodes", "visibility", "backend", "columns", "metrics"),
)
