"""Counters from NVML's field values: energy as a total, bytes over links as a rate per second.

Reads   nvmlDeviceGetFieldValues, all of them in one call over a buffer that is created once
Falls   back to nvmlDeviceGetPcieThroughput for the bus if the driver counts no bytes: it measures for 20 ms per call
Source  nvml.h: NVML_FI_DEV_MEMORY_TEMP 82 (Celsius), TOTAL_ENERGY_CONSUMPTION 83 (mJ since the driver was loaded),
        NVLINK_THROUGHPUT_DATA_TX and RX 138, 139 (KiB, of scope UINT_MAX: all links), POWER_CURRENT_LIMIT 190 (mW),
        PCIE_COUNT_TX_BYTES and RX_BYTES 197, 198; nvmlDeviceGetPcieThroughput (KB/s)
"""

from ctypes import byref, c_uint
from typing import Any, Final

from accel_nvidia.nvml_structures import FieldValue

_ALL_LINKS: Final = 0xFFFFFFFF
_VALUES: Final = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")  # by the type that NVML states
_STEADY: Final = (  # field, scope, reading, divisor to the reading's unit
    (83, 0, "energy_joules", 1000),
    (82, 0, "memory_temperature_celsius", 1),
    (190, 0, "power_limit_watts", 1000),
)
_LINKS: Final = (  # field, scope, reading, bytes per unit
    (197, 0, "pcie_sent_bytes_per_second", 1),
    (198, 0, "pcie_received_bytes_per_second", 1),
    (138, _ALL_LINKS, "link_sent_bytes_per_second", 1024),
    (139, _ALL_LINKS, "link_received_bytes_per_second", 1024),
)
_SLOW: Final = ((0, "pcie_sent_bytes_per_second"), (1, "pcie_received_bytes_per_second"))  # NVML's direction number


class Counters:
    """The field values of one device.

    codes  NVML codes by reading, for those that the device or the driver does not provide
    rates  whether any value is a rate over time
    """

    def __init__(self, nvml: Any, handle: Any, links: bool) -> None:
        wanted = (*_STEADY, *_LINKS) if links else _STEADY
        self.codes: dict[str, int] = {}
        self.rates = links
        values = (FieldValue * (len(wanted) + 1))()  # some drivers write past the end
        for entry, (field, scope, _, _) in zip(values, wanted, strict=False):
            entry.fieldId, entry.scopeId = field, scope
        # Views of the buffer, created once: each access to an array item or structure member creates a new one.
        self._views = [
            (entry, entry.value, reading, unit, (field, scope, reading, unit) in _STEADY)
            for entry, (field, scope, reading, unit) in zip(values, wanted, strict=False)
        ]
        self.function: Any = getattr(nvml.nvmlLib, "nvmlDeviceGetFieldValues", None)
        self.arguments = (handle, len(wanted), values)
        self._before: dict[str, tuple[float, float]] = {}

    def decode(self, found: dict[str, Any], now: float) -> None:
        """Add the last call's values. now: from a monotonic clock, needed for rates."""
        for entry, union, reading, unit, steady in self._views:
            code = entry.nvmlReturn
            if code:
                self.codes[reading] = code
                continue
            kind = entry.valueType
            value = getattr(union, _VALUES[kind] if kind < len(_VALUES) else "ullVal")
            found[reading] = value / unit if steady else self._rate(reading, value * unit, now)

    def _rate(self, reading: str, value: float, now: float) -> float | None:
        """Return the growth per second since the last reading; None without one, or if the counter was reset."""
        before = self._before.get(reading)
        self._before[reading] = (value, now)
        if before is None or now <= before[1] or value < before[0]:
            return None
        return (value - before[0]) / (now - before[1])


class SlowBus:
    """The bytes over the bus, measured by the driver for 20 ms in each direction."""

    def __init__(self, nvml: Any, handle: Any) -> None:
        function = getattr(nvml.nvmlLib, "nvmlDeviceGetPcieThroughput", None)
        self._value = c_uint()
        self.calls: list[tuple[Any, tuple[Any, ...], str]] = [
            (function, (handle, c_uint(way), byref(self._value)), reading) for way, reading in _SLOW if function
        ]

    def decode(self, reading: str, found: dict[str, Any]) -> None:
        found[reading] = self._value.value * 1000.0
