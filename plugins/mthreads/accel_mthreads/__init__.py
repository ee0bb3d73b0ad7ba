"""Moore Threads GPUs: specs/mthreads/tools.yaml states them; the readers of what no rule there describes are here."""

from accel.plugins.yaml_backend import own_vendor
from accel.vendors.contract.vendor import Vendor
from accel_mthreads.model import MThreadsDevice

VENDOR: Vendor[MThreadsDevice] = own_vendor("mthreads", __name__, MThreadsDevice)
