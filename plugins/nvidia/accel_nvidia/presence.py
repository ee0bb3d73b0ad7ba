"""Whether NVIDIA's hardware, driver or library may be here. Imports nothing: every command asks this first.

Reads  the driver's and WSL's device nodes
       /proc/bus/pci/devices, one file for the whole bus: "1900\\t10de2330\\t…\\tnvidia"; containers may hide it
       /sys/bus/pci/devices/<address>/vendor where that file is not to be had
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_NODES: Final = ("/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/dxg", "/sys/module/nvidia")
_BUS: Final = "/sys/bus/pci/devices"


def may_be_here(machine: "Machine") -> bool:
    """Say whether any one sign of it is here; none of them is loaded or run."""
    if any(machine.exists(path) for path in _NODES):
        return True
    try:
        if "\t10de" in machine.read("/proc/bus/pci/devices"):
            return True
    except OSError:
        if any(_is_nvidia(machine, name) for name in machine.list(_BUS)):
            return True
    return machine.finds_library("nvml.dll" if machine.system == "windows" else "libnvidia-ml.so.1")


def _is_nvidia(machine: "Machine", name: str) -> bool:
    try:
        return machine.read(f"{_BUS}/{name}/vendor").strip() == "0x10de"
    except OSError:
        return False
