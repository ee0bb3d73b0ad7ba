"""The NUMA node of a PCI device.

Reads  /sys/bus/pci/devices/<address>/numa_node    "1", or "-1" if the firmware gives none
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.machine.protocol import Machine


def numa_node(machine: "Machine", address: str) -> int | None:
    """Return the node; None if unknown."""
    try:
        text = machine.read(f"/sys/bus/pci/devices/{address}/numa_node").strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None
