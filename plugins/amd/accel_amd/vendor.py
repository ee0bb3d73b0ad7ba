"""The vendor definition of AMD."""

from accel.vendors.contract.vendor import Vendor
from accel_amd.model import AmdDevice

VENDOR = Vendor(
    name="amd",
    maker="AMD",
    kind="gpu",
    package=__package__,
    record=AmdDevice,
    pci_ids=("1002",),  # audio devices and bridges have it too: see presence.py
    nodes=("/dev/kfd",),
    held_nodes=("/dev/kfd", "/dev/dri/renderD<pci>", "/dev/dri/card<pci>"),
    reset="sudo amd-smi reset --gpureset --gpu {index:number}",
    traces=("/sys/class/kfd/kfd/topology",),
    own=("presence", "live", "visibility"),
)
