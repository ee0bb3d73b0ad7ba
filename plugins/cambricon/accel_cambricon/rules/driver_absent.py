"""No kernel driver serves the Cambricon cards."""

from typing import Final

from accel.facts.driver_absent import driver_absent
from accel_cambricon import VENDOR

RULE: Final = driver_absent(VENDOR)
