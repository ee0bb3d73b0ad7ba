"""The kernel driver of the Cambricon cards is not loaded."""

from typing import Final

from accel.checks.driver_not_loaded import driver_not_loaded
from accel_cambricon import VENDOR

CHECK: Final = driver_not_loaded(
    VENDOR,
    code="CB002",
    name="mlu-driver-not-loaded",
    boards="Cambricon cards",
    source="Cambricon driver documents: cambricon-drv.ko makes the nodes",
)
