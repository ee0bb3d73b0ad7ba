"""The kernel driver of the Hygon DCUs is not loaded."""

from typing import Final

from accel.checks.driver_not_loaded import driver_not_loaded
from accel_hygon import VENDOR

CHECK: Final = driver_not_loaded(
    VENDOR,
    code="HY001",
    name="dcu-driver-not-loaded",
    boards="Hygon DCUs",
    source="Hygon driver (rock) documents: the modules hydcu, or hycu in older releases",
)
