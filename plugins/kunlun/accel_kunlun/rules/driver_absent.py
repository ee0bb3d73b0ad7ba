"""No kernel driver serves the Kunlunxin XPUs."""

from typing import Final

from accel.facts.driver_absent import driver_absent
from accel_kunlun import VENDOR

RULE: Final = driver_absent(VENDOR)
