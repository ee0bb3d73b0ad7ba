"""Intel's Gaudi accelerators (Habana): hl-smi in its various formats, the habanalabs driver's files, their faults."""

from accel.vendors.contract.vendor import Vendor
from accel_gaudi.model import BACKEND, GaudiDevice
from accel_gaudi.model import VENDOR as MAKER

VENDOR = Vendor(
    name=BACKEND,
    maker=MAKER,
    kind="accelerator",
    package=__name__,
    record=GaudiDevice,
    pci_ids=("1da3",),
    nodes=("/dev/hl<N>",),  # /dev/accel/accel<N> is no sign: other makers' accelerators have such nodes too
    held_nodes=("/dev/accel/accel<pci>", "/dev/hl<index>"),
    traces=("/sys/bus/pci/drivers/habanalabs", "/sys/class/habanalabs"),
    own=("live", "visibility"),
)
