"""The kernel driver of the Kunlunxin XPUs is not loaded."""

from typing import Final

from accel.checks.driver_not_loaded import driver_not_loaded
from accel_kunlun import VENDOR

CHECK: Final = driver_not_loaded(
    VENDOR,
    code="KL001",
    name="kunlun-driver-not-loaded",
    boards="Kunlunxin XPUs",
    source="the XRE installation guide of Kunlunxin",
)
