"""Cambricon MLUs: device nodes, the driver's files, cnmon; its texts; the faults that it states.

MLU_VISIBLE_DEVICES         read by the runtime (CNRT): card numbers
CAMBRICON_VISIBLE_DEVICES   read by the container toolkit when a container is made: inside, the nodes are already as it
                            says, so it hides nothing more from a process

Source  scripts of github.com/Cambricon and the torch_mlu documents use both. That the list is read by CUDA's rules is
        assumed: it was not tried on a card.
"""

from accel.vendors.contract.vendor import Masks, Tool, Vendor
from accel_cambricon.model import CambriconDevice

VENDOR = Vendor(
    name="cambricon",
    maker="Cambricon",
    kind="npu",
    package=__name__,
    record=CambriconDevice,
    pci_ids=("cabc",),
    nodes=("/dev/cambricon_dev<N>",),
    traces=("/dev/cambricon_ctl", "/proc/driver/cambricon"),
    modules=("cambricon-drv",),
    driver="the MLU driver package",
    tool=Tool(
        names=("cnmon",),
        hint="it comes with the MLU driver, as /usr/bin/cnmon",
        calls=((), ("info",)),
    ),
    masks=Masks(lists=(("MLU_VISIBLE_DEVICES",),), names=("mlu",)),
    own=("board",),
)
