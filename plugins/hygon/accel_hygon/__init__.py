"""Hygon's DCUs: specs/hygon/tools.yaml states them; the readers of what no rule there describes are here."""

from accel.plugins.yaml_backend import own_vendor
from accel.vendors.contract.vendor import Vendor
from accel_hygon.model import HygonDevice

VENDOR: Vendor[HygonDevice] = own_vendor("hygon", __name__, HygonDevice)
