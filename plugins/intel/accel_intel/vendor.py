"""The vendor definition of Intel."""

from accel.vendors.contract.vendor import Vendor
from accel_intel.model import BACKEND, IntelDevice
from accel_intel.model import VENDOR as MAKER

VENDOR = Vendor(
    name=BACKEND,
    maker=MAKER,
    kind="gpu",
    package=__package__,
    record=IntelDevice,
    pci_ids=("8086",),  # all of Intel's devices have it: see presence.py
    held_nodes=("/dev/dri/renderD<pci>", "/dev/dri/card<pci>"),
    traces=("/sys/bus/pci/drivers/i915", "/sys/bus/pci/drivers/xe", "/sys/class/drm/card<N>"),
    own=("presence", "live", "visibility"),
)
