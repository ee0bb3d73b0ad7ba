"""Fields that only Hygon's DCUs have, in addition to those of any accelerator."""

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class HygonDevice(Device):
    """One DCU; newer tools call it HCU.

    index                its number in hy-smi; some old releases count from 1
    memory_used_percent  share of memory in use: the plain table has no other memory figure
    performance_level    "auto", "manual", "high"
    mode                 "Normal"
    """

    memory_used_percent: float | None = None
    performance_level: str | None = None
    mode: str | None = None
    firmware_version: str | None = None
    junction_temperature_celsius: float | None = None
    memory_temperature_celsius: float | None = None
