"""Whether a Gaudi may be here, asked cheaply.

/proc/bus/pci/devices has a line for every device of the bus, "1900	1da31020	…": one read instead of hundreds.
/dev/accel/accelN alone is no sign: other makers' accelerators have such nodes too.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_BUS: Final = "/proc/bus/pci/devices"
_DRIVERS: Final = ("/sys/bus/pci/drivers/habanalabs", "/sys/class/habanalabs", "/dev/hl0")


def may_be_here(machine: "Machine") -> bool:
    """Say whether the driver, a node of it or a device of Habana's is here."""
    if machine.system != "linux":
        return False
    if any(machine.exists(path) for path in _DRIVERS):
        return True
    try:
        return "\t1da3" in machine.read(_BUS)
    except OSError:
        return False
