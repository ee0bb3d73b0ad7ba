"""Moore Threads' GPUs of a live machine: mthreads-gmi's two answers, and the PCI bus."""

from typing import Final

from accel.toolkit.tool_probe import Tool
from accel_mthreads.model import BACKEND, mthreads_device
from accel_mthreads.presence import PCI_VENDOR, SOUND
from accel_mthreads.readers import mthreads_readers

TOOL: Final = Tool(
    backend=BACKEND,
    names=("mthreads-gmi",),
    no_health="mthreads-gmi states no health; the kernel log may:  sudo dmesg | grep -i musa",
    hint="it comes with the driver, as /usr/bin/mthreads-gmi",
    calls=((), ("--query", "--json")),
    pci_ids=(f"{PCI_VENDOR}:",),
    no_boards=(SOUND,),
    nodes=("/dev/mtgpu.<N>",),
    readers=mthreads_readers,
    device=mthreads_device,
)
