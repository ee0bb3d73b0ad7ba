"""The kernel driver of the MetaX GPUs is not loaded."""

from typing import Final

from accel.checks.driver_not_loaded import driver_not_loaded
from accel_metax import VENDOR

CHECK: Final = driver_not_loaded(
    VENDOR,
    code="MX001",
    name="metax-driver-not-loaded",
    boards="MetaX GPUs",
    source="developer.metax-tech.com, driver installation guide",
)
