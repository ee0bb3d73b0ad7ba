"""The driver's file of a card."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from accel_cambricon.readers import driver_information

if TYPE_CHECKING:
    from accel.machine.protocol import Machine


def facts(machine: "Machine", address: str) -> Mapping[str, Any]:
    """Return the fields in the driver's file for the card at a PCI address; {} if there is no such file."""
    try:
        return driver_information.facts(machine.read(f"/proc/driver/cambricon/mlus/{address}/information", 4096))
    except OSError:
        return {}
