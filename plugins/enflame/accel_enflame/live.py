"""Enflame devices of a live machine: efsmi, and the PCI bus where it lists none."""

from typing import Final

from accel.toolkit.tool_probe import Tool
from accel_enflame.model import BACKEND, enflame_device
from accel_enflame.readers import enflame_readers

TOOL: Final = Tool(
    backend=BACKEND,
    names=("efsmi", "/usr/bin/efsmi", "/usr/local/efsmi/efsmi"),
    more=(("-q",),),
    pci_ids=("1e36:",),
    nodes=("/dev/gcuctl", "/dev/gcu<N>", "/dev/dtu<N>"),
    readers=enflame_readers,
    device=enflame_device,
)
