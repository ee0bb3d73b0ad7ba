"""Cambricon's MLUs: specs/cambricon/tools.yaml states them; the readers of what no rule there describes are here."""

from accel.plugins.yaml_backend import own_vendor
from accel.vendors.contract.vendor import Vendor
from accel_cambricon.model import CambriconDevice

VENDOR: Vendor[CambriconDevice] = own_vendor("cambricon", __name__, CambriconDevice)
