"""Hygon's DCUs, defined in specs/hygon/tools.yaml; the readers here handle what its rules cannot describe."""

from accel.plugins.yaml_backend import own_vendor
from accel.vendors.contract.vendor import Vendor
from accel_hygon.model import HygonDevice

VENDOR: Vendor[HygonDevice] = own_vendor("hygon", __name__, HygonDevice)
