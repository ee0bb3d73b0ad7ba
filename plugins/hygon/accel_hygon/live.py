"""Hygon's DCUs of a live machine: hy-smi's two answers, and the PCI bus.

The table has neither names nor amounts of memory, so the JSON is asked for too.
"""

from typing import Final

from accel.toolkit.tool_probe import Tool
from accel_hygon.model import BACKEND, hygon_device
from accel_hygon.presence import PCI_VENDOR, PRODUCTS
from accel_hygon.readers import hygon_readers

_JSON: Final = ("--showproductname", "--showbus", "--showmeminfo", "vram", "--showtemp", "--showuse", "--json")

TOOL: Final = Tool(
    backend=BACKEND,
    names=("hy-smi", "/opt/hyhal/bin/hy-smi", "/usr/local/hyhal/bin/hy-smi"),
    no_health="hy-smi states none; the kernel's log may:  sudo dmesg | grep -iE 'hydcu|hycu|amdgpu'",
    hint="it comes with the driver, in /opt/hyhal/bin",
    calls=((), _JSON),
    memory_call=_JSON,
    pci_ids=tuple(f"{PCI_VENDOR}:{device}" for device in PRODUCTS),
    nodes=("/dev/kfd", "/dev/mkfd"),
    readers=hygon_readers,
    device=hygon_device,
)
