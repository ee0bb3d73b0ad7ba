"""The vendor definition of Google's TPUs."""

from accel.vendors.contract.vendor import Vendor
from accel_tpu.model import TpuDevice

VENDOR = Vendor(
    name="tpu",
    maker="Google",
    kind="tpu",
    package=__package__,
    record=TpuDevice,
    pci_ids=("1ae0",),  # Google's network and storage functions have it too: see presence.py
    nodes=("/dev/accel<N>",),
    held_nodes=("/dev/accel<index>", "/dev/vfio/<iommu_group>"),
    traces=("/tmp/libtpu_lockfile",),
    own=("presence", "live", "visibility"),
)
