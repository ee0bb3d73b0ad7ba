"""Enflame's accelerators: device nodes, efsmi; its texts; the faults that it states.

TOPS_VISIBLE_DEVICES      read by the TopsRider runtime: indices; "DRS-<uuid>" names a part of a device, which the
                          tool's tables do not list: nothing is said then
ENFLAME_VISIBLE_DEVICES   read when a container is made: inside, the nodes are already as it says
"""

from accel.vendors.contract.vendor import Masks, Tool, Vendor
from accel_enflame.model import EnflameDevice

VENDOR = Vendor(
    name="enflame",
    maker="Enflame",
    kind="accelerator",
    package=__name__,
    record=EnflameDevice,
    pci_ids=("1e36",),
    nodes=("/dev/gcuctl", "/dev/gcu<N>", "/dev/dtu<N>"),
    modules=("enflame",),
    driver="the TopsRider driver package",
    tool=Tool(names=("efsmi", "/usr/bin/efsmi", "/usr/local/efsmi/efsmi"), more=(("-q",),)),
    masks=Masks(lists=(("TOPS_VISIBLE_DEVICES",),), names=("gcu",)),
)
