"""Hygon DCUs: the PCI bus, the driver's nodes, hy-smi; its texts; the fault that it states.

The table of hy-smi has neither names nor amounts of memory, so its JSON is asked for too. Hygon's processors have
bridges, controllers and crypto engines of the same PCI vendor id, so the vendor alone says nothing.

ROCR_VISIBLE_DEVICES   numbers, first
HIP_VISIBLE_DEVICES    numbers among those; CUDA_VISIBLE_DEVICES counts where it is not set. torch says cuda:0.

Source  the device ids of the vendor's install guides (lspci -nn). The masks are HIP's, which DTK is built from; that
        DTK keeps all its rules was not tried on a DCU.
"""

from typing import Final

from accel.vendors.contract.vendor import Masks, Tool, Vendor
from accel_hygon.model import HygonDevice

_JSON: Final = ("--showproductname", "--showbus", "--showmeminfo", "vram", "--showtemp", "--showuse", "--json")

VENDOR = Vendor(
    name="hygon",
    maker="Hygon",
    kind="gpu",
    package=__name__,
    record=HygonDevice,
    pci_ids=(
        "1d94:54b7",  # Z100
        "1d94:55b7",  # Z100L
        "1d94:62b7",  # K100
        "1d94:6210",  # K100_AI
        "1d94:6211",  # K100_AI
        "1d94:6320",  # BW150, BW1000
        "1d94:6430",  # BW1100
    ),
    nodes=("/dev/mkfd",),
    shared_nodes=("/dev/kfd",),
    held_nodes=("/dev/kfd", "/dev/mkfd", "/dev/dri/renderD<pci>"),
    traces=("/sys/module/hydcu", "/sys/module/hycu", "/opt/hyhal/bin/hy-smi"),
    modules=("hydcu", "hycu"),
    driver="the DCU driver package (rock)",
    tool=Tool(
        names=("hy-smi", "/opt/hyhal/bin/hy-smi", "/usr/local/hyhal/bin/hy-smi"),
        hint="it comes with the driver, in /opt/hyhal/bin",
        no_health="hy-smi states none; the kernel's log may:  sudo dmesg | grep -iE 'hydcu|hycu|amdgpu'",
        calls=((), _JSON),
        memory_call=_JSON,
    ),
    masks=Masks(
        lists=(("ROCR_VISIBLE_DEVICES",), ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")),
        names=("cuda",),
        first_counts=True,
    ),
)
