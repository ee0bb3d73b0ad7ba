"""Whether the machine is a Mac: every Mac has a GPU, or none that could be asked for otherwise."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accel.machine.protocol import Machine


def may_be_here(machine: "Machine") -> bool:
    """Say whether this is macOS with its system_profiler."""
    return machine.system == "macos" and machine.exists("/usr/sbin/system_profiler")
