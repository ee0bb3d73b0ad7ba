"""The fast path for `accel devices --json`: the CPUs of a Linux machine as a row, if their memory has no errors."""

from typing import TYPE_CHECKING

from accel.model.rows import DEVICE_FIELDS, Listing, device_row
from accel_cpu.linux import SOURCE, linux_facts
from accel_cpu.memory_errors import memory_errors

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.vendors.contract.backend import Progress


def listing(machine: "Machine", progress: "Progress", seconds: float | None = None) -> Listing | None:
    """Return the CPUs' row; None if anything is unusual, for which the backend's probe gives better information."""
    if machine.system != "linux":
        return None
    facts, missing = linux_facts(machine)
    if missing or any(True for _ in memory_errors(machine)):
        return None
    own = tuple(name for name in facts if name not in DEVICE_FIELDS)
    return {"source": SOURCE, "devices": [device_row(facts, own)], "gaps": []}
