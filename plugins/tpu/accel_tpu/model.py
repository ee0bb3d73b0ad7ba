"""The record of a TPU."""

from typing import ClassVar

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class TpuDevice(Device):
    """One TPU chip; or one core, if JAX, which lists cores for v2, v3 and 7x, is the only source.

    device_path        "/dev/accel0" (v2 to v4) or "/dev/vfio/0" (later); the first one if a chip has two
    node_accessible    whether this process may open that node; None if it does not exist or was not checked
    devices_per_chip   JAX's device count per chip: 2 on v2, v3 and 7x, else 1
    hbm_nominal_bytes  the chip's memory by its data sheet, not as measured: see memory_total_bytes
    process_index, coords, core_on_chip   the position in the slice as printed by JAX; coords is (x, y, z)
    duty_cycle_percent the share of the last sampling period that the chip was active; utilization_percent is the same
    tensorcore_utilization_percent  of the chip's cores together, as printed by tpu-info
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
