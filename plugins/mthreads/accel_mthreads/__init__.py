"""Moore Threads GPUs, defined in specs/mthreads/tools.yaml; the readers here handle what its rules cannot describe."""

from accel.plugins.yaml_backend import own_vendor
from accel.vendors.contract.vendor import Vendor
from accel_mthreads.model import MThreadsDevice

VENDOR: Vendor[MThreadsDevice] = own_vendor("mthreads", __name__, MThreadsDevice)
