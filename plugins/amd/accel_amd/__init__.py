"""AMD's GPUs, live and as texts show them, and the faults of their driver and of the builds beside them."""

from accel.contract.vendor import Vendor
from accel_amd.model import AmdDevice

VENDOR = Vendor(
    name="amd",
    maker="AMD",
    kind="gpu",
    package=__name__,
    record=AmdDevice,
    pci_ids=("1002",),  # of sound devices and bridges too: presence.py looks closer
    nodes=("/dev/kfd",),
    traces=("/sys/class/kfd/kfd/topology",),
    own=("presence", "live", "visibility"),
)
