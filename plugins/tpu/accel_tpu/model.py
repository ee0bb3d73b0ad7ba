"""The record of a TPU."""

from typing import ClassVar

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class TpuDevice(Device):
    """One TPU chip; one core of it where JAX, which lists cores of v2, v3 and 7x, is the only source.

    device_path        "/dev/accel0" (v2 to v4) or "/dev/vfio/0" (later); the first one of a chip that has two
    node_accessible    whether this process may open that node; None if the node is not there or was not looked at
    devices_per_chip   what JAX counts for one chip: 2 on v2, v3 and 7x, else 1
    hbm_nominal_bytes  the chip's memory by its data sheet, not as measured: see memory_total_bytes
    process_index, coords, core_on_chip   the place in the slice as JAX prints it; coords is (x, y, z)
    duty_cycle_percent how much of the last sampling time the chip worked; utilization_percent is the same
    tensorcore_utilization_percent  of the chip's cores together, as tpu-info prints it
    """

    readings_from: ClassVar[tuple[tuple[str, str], ...]] = (("tensor_percent", "tensorcore_utilization_percent"),)

    device_path: str | None = None
    node_accessible: bool | None = None
    devices_per_chip: int | None = None
    hbm_nominal_bytes: int | None = None
    process_index: int | None = None
    coords: tuple[int, ...] | None = None
    core_on_chip: int | None = None
    duty_cycle_percent: float | None = None
    tensorcore_utilization_percent: float | None = None
