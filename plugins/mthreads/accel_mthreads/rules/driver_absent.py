"""No kernel driver serves the Moore Threads GPUs."""

from typing import Final

from accel.facts.driver_absent import driver_absent
from accel_mthreads import VENDOR

RULE: Final = driver_absent(VENDOR)
