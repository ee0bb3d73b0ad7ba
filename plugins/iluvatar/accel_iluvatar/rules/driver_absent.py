"""No kernel driver serves the Iluvatar GPUs."""

from typing import Final

from accel.facts.driver_absent import driver_absent
from accel_iluvatar import VENDOR

RULE: Final = driver_absent(VENDOR)
