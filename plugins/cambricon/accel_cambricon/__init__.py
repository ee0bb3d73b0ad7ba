"""Cambricon's MLUs, defined in specs/cambricon/tools.yaml; the readers here handle what its rules cannot describe."""

from accel.plugins.yaml_backend import own_vendor
from accel.vendors.contract.vendor import Vendor
from accel_cambricon.model import CambriconDevice

VENDOR: Vendor[CambriconDevice] = own_vendor("cambricon", __name__, CambriconDevice)
