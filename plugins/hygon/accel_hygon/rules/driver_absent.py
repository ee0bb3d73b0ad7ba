"""No kernel driver serves the Hygon DCUs."""

from typing import Final

from accel.facts.driver_absent import driver_absent
from accel_hygon import VENDOR

RULE: Final = driver_absent(VENDOR)
