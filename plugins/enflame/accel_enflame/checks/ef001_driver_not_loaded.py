"""The kernel driver of the Enflame accelerators is not loaded."""

from typing import Final

from accel.checks.driver_not_loaded import driver_not_loaded
from accel_enflame import VENDOR

CHECK: Final = driver_not_loaded(
    VENDOR,
    code="EF001",
    name="enflame-driver-not-loaded",
    boards="Enflame accelerators",
    source="the TopsRider installation guide, support.enflame-tech.com",
)
