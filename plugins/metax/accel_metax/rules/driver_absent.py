"""No kernel driver serves the MetaX GPUs."""

from typing import Final

from accel.facts.driver_absent import driver_absent
from accel_metax import VENDOR

RULE: Final = driver_absent(VENDOR)
