"""Whether a Neuron device may be here, asked cheaply.

/proc/bus/pci/devices has a line for every device of the bus, "00f0	1d0f7164	…": one read instead of hundreds.
"""

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_BUS: Final = "/proc/bus/pci/devices"
_SIGNS: Final = ("/dev/neuron0", "/sys/class/neuron_device", "/sys/module/neuron")


def may_be_here(machine: "Machine") -> bool:
    """Say whether a node, the driver or a device on the bus is here. Amazon's network cards and disks are none."""
    if machine.system != "linux":
        return False
    if any(machine.exists(path) for path in _SIGNS) or any(
        re.fullmatch(r"neuron\d+", name) for name in machine.list("/dev")
    ):
        return True
    try:
        return re.search(r"\t1d0f7[0-9a-f]6[4-7]\t", machine.read(_BUS)) is not None
    except OSError:
        return False
