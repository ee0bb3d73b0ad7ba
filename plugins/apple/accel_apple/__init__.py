"""Mac GPUs, from Apple and others: system_profiler, sysctl, and faults of PyTorch's MPS."""

from accel.vendors.contract.vendor import Vendor
from accel_apple.model import BACKEND, AppleDevice

VENDOR = Vendor(
    name=BACKEND,
    maker="Apple",
    kind="gpu",
    package=__name__,
    record=AppleDevice,
    traces=("/usr/sbin/system_profiler",),  # every Mac has it, and a GPU
    own=("live", "visibility"),
)
