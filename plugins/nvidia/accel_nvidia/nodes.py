"""The GPU of each NVIDIA device node: from the kernel module, since sysfs does not say.

Reads  /proc/driver/nvidia/gpus/<address>/information   "Device Minor: 	 0" is /dev/nvidia0
"""

from typing import TYPE_CHECKING

from accel_nvidia.kernel import kernel_gpus

if TYPE_CHECKING:
    from accel.machine.protocol import Machine


def by_address(machine: "Machine") -> dict[str, str]:
    """Return the PCI address of each node."""
    return {
        f"/dev/nvidia{gpu.minor_number}": gpu.address for gpu in kernel_gpus(machine) if gpu.minor_number is not None
    }
