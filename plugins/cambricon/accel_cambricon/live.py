"""Cambricon's cards of a live machine: cnmon's two answers, the driver's files, and the PCI bus."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.toolkit.tool_probe import Tool
from accel_cambricon.model import BACKEND, cambricon_device
from accel_cambricon.presence import PCI_VENDOR
from accel_cambricon.readers import cambricon_readers
from accel_cambricon.readers.driver_information import facts

if TYPE_CHECKING:
    from accel.machine.protocol import Machine


def driver_facts(machine: "Machine", address: str) -> Mapping[str, Any]:
    """Return what the driver's file of the card at a PCI address tells; none where there is no such file."""
    try:
        return facts(machine.read(f"/proc/driver/cambricon/mlus/{address}/information", 4096))
    except OSError:
        return {}


TOOL: Final = Tool(
    backend=BACKEND,
    names=("cnmon",),
    hint="it comes with the MLU driver, as /usr/bin/cnmon",
    calls=((), ("info",)),
    pci_ids=(f"{PCI_VENDOR}:",),
    nodes=("/dev/cambricon_dev<N>",),
    readers=cambricon_readers,
    device=cambricon_device,
    facts=driver_facts,
)
