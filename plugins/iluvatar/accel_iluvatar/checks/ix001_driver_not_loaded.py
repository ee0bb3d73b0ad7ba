"""The kernel driver of the Iluvatar GPUs is not loaded."""

from typing import Final

from accel.checks.driver_not_loaded import driver_not_loaded
from accel_iluvatar import VENDOR

CHECK: Final = driver_not_loaded(
    VENDOR,
    code="IX001",
    name="iluvatar-driver-not-loaded",
    boards="Iluvatar GPUs",
    source="the CoreX installation guide, support.iluvatar.com",
)
