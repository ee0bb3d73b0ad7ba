"""Iluvatar's GPUs: device nodes, ixsmi; its texts; the faults that it states.

CUDA_VISIBLE_DEVICES             read by the CoreX runtime: indices or uuids
ILUVATAR_COREX_VISIBLE_DEVICES   uuids, read when a container is made: inside, the nodes are already as it says
"""

from accel.vendors.contract.vendor import Masks, Tool, Vendor
from accel_iluvatar.model import IluvatarDevice

VENDOR = Vendor(
    name="iluvatar",
    maker="Iluvatar",
    kind="gpu",
    package=__name__,
    record=IluvatarDevice,
    pci_ids=("1e3e",),
    nodes=("/dev/itrctl", "/dev/iluvatar<N>", "/dev/iluvatar"),
    modules=("iluvatar",),
    driver="the CoreX driver package",
    tool=Tool(names=("ixsmi", "/usr/local/corex/bin/ixsmi"), more=(("-q",),)),
    masks=Masks(lists=(("CUDA_VISIBLE_DEVICES",),), names=("cuda",)),
)
