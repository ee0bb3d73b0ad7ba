"""Iluvatar devices of a live machine: ixsmi, and the PCI bus where it lists none."""

from typing import Final

from accel.toolkit.tool_probe import Tool
from accel_iluvatar.model import BACKEND, iluvatar_device
from accel_iluvatar.readers import iluvatar_readers

TOOL: Final = Tool(
    backend=BACKEND,
    names=("ixsmi", "/usr/local/corex/bin/ixsmi"),
    more=(("-q",),),
    pci_ids=("1e3e:",),
    nodes=("/dev/itrctl", "/dev/iluvatar<N>", "/dev/iluvatar"),
    readers=iluvatar_readers,
    device=iluvatar_device,
)
