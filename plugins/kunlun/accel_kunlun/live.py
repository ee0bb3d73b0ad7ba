"""Kunlunxin devices of a live machine: xpu_smi, and the PCI bus where it lists none."""

from typing import Final

from accel.toolkit.tool_probe import Tool
from accel_kunlun.model import BACKEND, kunlun_device
from accel_kunlun.readers import kunlun_readers

TOOL: Final = Tool(
    backend=BACKEND,
    names=("xpu_smi", "xpu-smi", "/usr/local/xpu/bin/xpu_smi", "/usr/local/bin/xpu-smi"),
    more=(("-q",),),
    pci_ids=("1d22:368", "2057:368"),
    nodes=("/dev/xpuctrl", "/dev/xpu<N>"),
    readers=kunlun_readers,
    device=kunlun_device,
)
