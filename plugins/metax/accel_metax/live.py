"""MetaX devices of a live machine: mx-smi, and the PCI bus where it lists none."""

from typing import Final

from accel.toolkit.tool_probe import Tool
from accel_metax.model import BACKEND, metax_device
from accel_metax.readers import metax_readers

TOOL: Final = Tool(
    backend=BACKEND,
    names=("mx-smi", "/opt/mxdriver/bin/mx-smi"),
    more=(("-L",), ("--show-unavailable-reason",), ("--count-ecc",)),
    pci_ids=("9999:",),
    nodes=("/dev/mxcd",),
    readers=metax_readers,
    device=metax_device,
)
