"""Moore Threads GPUs: the driver's nodes, mthreads-gmi; its texts; the fault that it states.

MUSA_VISIBLE_DEVICES       read by the MUSA runtime: GPU numbers or uuids
MTHREADS_VISIBLE_DEVICES   read by the container toolkit when a container is made: inside, the nodes are already as it
                           says, so it hides nothing more from a process

Source  docs.mthreads.com, and github.com/MooreThreads/torch_musa, which use both. That the list is read by CUDA's rules
        is assumed: it was not tried on a GPU.
"""

from accel.vendors.contract.vendor import Masks, Tool, Vendor
from accel_mthreads.model import MThreadsDevice

VENDOR = Vendor(
    name="mthreads",
    maker="Moore Threads",
    kind="gpu",
    package=__name__,
    record=MThreadsDevice,
    pci_ids=("1ed5",),
    no_boards=("ff",),  # the cards' sound devices
    nodes=("/dev/mtgpu.<N>",),
    traces=("/proc/driver/musa", "/sys/module/mtgpu"),
    modules=("mtgpu",),
    driver="the MUSA driver package",
    tool=Tool(
        names=("mthreads-gmi",),
        hint="it comes with the driver, as /usr/bin/mthreads-gmi",
        no_health="mthreads-gmi states no health; the kernel log may:  sudo dmesg | grep -i musa",
        calls=((), ("--query", "--json")),
    ),
    masks=Masks(lists=(("MUSA_VISIBLE_DEVICES",),), names=("musa",)),
)
