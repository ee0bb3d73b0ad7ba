"""MetaX's GPUs: device nodes, mx-smi; its texts; the faults that it states.

MACA_VISIBLE_DEVICES, CUDA_VISIBLE_DEVICES   read by the MACA runtime: indices or uuids. Both set and unlike: which of
                            them counts is not documented, so nothing is said
METAX_VISIBLE_DEVICES       read when a container is made: inside, the nodes are already as it says
"""

from accel.vendors.contract.vendor import Masks, Tool, Vendor
from accel_metax.model import MetaxDevice

VENDOR = Vendor(
    name="metax",
    maker="MetaX",
    kind="gpu",
    package=__name__,
    record=MetaxDevice,
    pci_ids=("9999",),
    nodes=("/dev/mxcd",),
    modules=("metax",),
    driver="the MetaX driver package",
    tool=Tool(
        names=("mx-smi", "/opt/mxdriver/bin/mx-smi"),
        more=(("-L",), ("--show-unavailable-reason",), ("--count-ecc",), ("topo", "-m")),
    ),
    masks=Masks(lists=(("MACA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"),), names=("cuda",)),
)
