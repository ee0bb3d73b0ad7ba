"""Fields that only Moore Threads' GPUs have, in addition to those of any accelerator."""

from typing import ClassVar

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class MThreadsDevice(Device):
    """One GPU of the tool's list.

    firmware_version   the MTBios version
    device_kind        the tool's word: "Physical", "MPC Parent", "MPC Instance", "Virtual"
    performance_state  "P0"
    pcie_lanes, pcie_lanes_max   "4x(16x)" means 4 of 16
    ecc_mode           "On-die, EDC"; None if the tool prints N/A
    """

    readings_from: ClassVar[tuple[tuple[str, str], ...]] = (("memory_busy_percent", "memory_utilization_percent"),)

    firmware_version: str | None = None
    device_kind: str | None = None
    performance_state: str | None = None
    pcie_lanes: int | None = None
    pcie_lanes_max: int | None = None
    ecc_mode: str | None = None
    memory_utilization_percent: float | None = None
