"""Google TPUs: PCI ids and device nodes, libtpu's metric service, JAX's and tpu-info's texts, and their faults."""

from accel.contract.vendor import Vendor
from accel_tpu.model import TpuDevice

VENDOR = Vendor(
    name="tpu",
    maker="Google",
    kind="tpu",
    package=__name__,
    record=TpuDevice,
    pci_ids=("1ae0",),  # of Google's network and storage functions too: presence.py looks closer
    nodes=("/dev/accel<N>",),
    traces=("/tmp/libtpu_lockfile",),
    own=("presence", "live", "visibility"),
)
