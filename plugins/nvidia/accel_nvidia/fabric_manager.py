"""Whether the fabric manager runs on a machine that has NVSwitches of its own.

Reads   /sys/bus/pci/devices/<address>/{vendor,class}    "0x10de", "0x068000": an NVSwitch, up to Hopper's
        /run/nvidia-fabricmanager/nv-fabricmanager.pid   named in its service unit, and /proc/<pid>
        nv-fabricmanager --version                       "Fabric Manager version is : 535.104.05"
        /proc/self/ns/pid                                "pid:[4026531836]" is the host's own: in others neither the
                                                         file nor the process is visible
Source  Fabric Manager for NVIDIA NVSwitch Systems, user guide; Linux include/linux/proc_ns.h: PROC_PID_INIT_INO
"""

import re
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_text, names_in
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_BUS: Final = "/sys/bus/pci/devices"
_BRIDGE: Final = "0x0680"
_PID_FILES: Final = (
    "/run/nvidia-fabricmanager/nv-fabricmanager.pid",
    "/var/run/nvidia-fabricmanager/nv-fabricmanager.pid",
)
_PROGRAM: Final = "nv-fabricmanager"
_VERSION: Final = pattern(r"version is\s{0,3}:\s{0,3}(\d{3}(?:\.\d{1,4}){1,2})", re.IGNORECASE)
_SECONDS: Final = 1.0
_HOST: Final = "pid:[4026531836]"


def fabric_manager_is_down(machine: "Machine") -> bool | None:
    """Return whether it should run but does not; None if that cannot be seen or there is no NVSwitch."""
    if machine.link("/proc/self/ns/pid") != _HOST or not any(
        _is_switch(machine, name) for name in names_in(machine, _BUS)
    ):
        return None
    for path in _PID_FILES:
        pid = (file_text(machine, path) or "").strip()
        if pid.isdecimal() and machine.exists(f"/proc/{pid}"):
            return False
    return True


def _is_switch(machine: "Machine", name: str) -> bool:
    return (file_text(machine, f"{_BUS}/{name}/vendor") or "").strip() == "0x10de" and (
        file_text(machine, f"{_BUS}/{name}/class") or ""
    ).startswith(_BRIDGE)


def fabric_manager_version(machine: "Machine") -> str | None:
    """Return the version of the installed fabric manager; None if none is installed, or it does not report one."""
    done = machine.run([_PROGRAM, "--version"], _SECONDS)
    found = _VERSION.search(done.stdout) if done.exit_code == 0 else None
    return found[1] if found else None
