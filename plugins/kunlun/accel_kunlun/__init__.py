"""Kunlunxin's XPUs: device nodes, xpu_smi; its texts; the faults that it states.

XPU_VISIBLE_DEVICES    read by the XPU runtime: indices
CUDA_VISIBLE_DEVICES   read by the CUDA layer over it. Both set and unlike: which of them counts depends on the program,
                       so nothing is said
CXPU_VISIBLE_DEVICES   read when a container is made: inside, the nodes are already as it says
A device is "xpu:0" to Paddle, and "cuda:0" to PyTorch over the CUDA layer.
"""

from accel.vendors.contract.vendor import Masks, Tool, Vendor
from accel_kunlun.model import KunlunDevice

VENDOR = Vendor(
    name="kunlun",
    maker="Kunlunxin",
    kind="accelerator",
    package=__name__,
    record=KunlunDevice,
    pci_ids=("1d22:368", "2057:368"),
    nodes=("/dev/xpuctrl", "/dev/xpu<N>"),
    modules=("kunlun",),
    driver="the XRE driver package",
    tool=Tool(
        names=("xpu_smi", "xpu-smi", "/usr/local/xpu/bin/xpu_smi", "/usr/local/bin/xpu-smi"),
        more=(("-q",),),
    ),
    masks=Masks(lists=(("XPU_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"),), names=("xpu", "cuda")),
)
