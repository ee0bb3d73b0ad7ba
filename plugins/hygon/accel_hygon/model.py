"""What only Hygon's DCUs have, beyond the facts of any accelerator."""

from dataclasses import dataclass
from typing import Any, Final

from accel.model.device import Device

BACKEND: Final = "hygon"
VENDOR: Final = "Hygon"


@dataclass(frozen=True, slots=True, kw_only=True)
class HygonDevice(Device):
    """One DCU; newer tools call it HCU.

    index                the number that hy-smi gives it; some old releases count from 1
    memory_used_percent  of the memory: the plain table says no more of it
    performance_level    "auto", "manual", "high"
    mode                 "Normal"
    """

    memory_used_percent: float | None = None
    performance_level: str | None = None
    mode: str | None = None
    firmware_version: str | None = None
    junction_temperature_celsius: float | None = None
    memory_temperature_celsius: float | None = None


def hygon_device(index: int, **facts: Any) -> HygonDevice:
    """Return the record of a device; facts that are None are not known."""
    return HygonDevice(id=f"{BACKEND}:{index}", index=index, backend=BACKEND, vendor=VENDOR, kind="gpu", **facts)
