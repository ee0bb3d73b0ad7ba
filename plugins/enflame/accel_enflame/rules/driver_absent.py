"""No kernel driver serves the Enflame accelerators."""

from typing import Final

from accel.facts.driver_absent import driver_absent
from accel_enflame import VENDOR

RULE: Final = driver_absent(VENDOR)
