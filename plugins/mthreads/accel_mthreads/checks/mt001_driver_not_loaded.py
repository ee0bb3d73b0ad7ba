"""The kernel driver of the Moore Threads GPUs is not loaded."""

from typing import Final

from accel.checks.driver_not_loaded import driver_not_loaded
from accel_mthreads import VENDOR

CHECK: Final = driver_not_loaded(
    VENDOR,
    code="MT001",
    name="musa-driver-not-loaded",
    boards="Moore Threads GPUs",
    source="docs.mthreads.com, installing the driver: mtgpu.ko",
)
