"""What only Iluvatar's hardware has, beyond the facts of any accelerator."""

from typing import ClassVar

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class IluvatarDevice(Device):
    """One device, with what ixsmi knows of it.

    sm_mhz, memory_mhz   the clocks now
    ecc_*_errors         since the driver was loaded ("volatile")
    health               "critical" if an error could not be corrected; no count tells that a device is well
    A board of two chips tells its power on one of them; the other's is None.
    """

    readings_from: ClassVar[tuple[tuple[str, str], ...]] = (
        ("clock_mhz", "sm_mhz"),
        ("clock_memory_mhz", "memory_mhz"),
    )

    fan_percent: float | None = None
    performance_state: str | None = None
    compute_mode: str | None = None
    sm_mhz: float | None = None
    memory_mhz: float | None = None
    ecc_uncorrectable_errors: int | None = None
    ecc_correctable_errors: int | None = None
