"""The calls by which a GPU tells what changes, one reading or two each, with the buffers that they fill."""

from collections.abc import Callable
from ctypes import byref, c_uint, c_ulonglong
from typing import Any, Final

from accel_nvidia.clock_reasons import REASONS, reasons
from accel_nvidia.nvml_sample import MemoryV1, MemoryV2, Rates

Found = dict[str, Any]
Decode = Callable[[Found], None]

_NOT_AVAILABLE: Final = 0xFFFFFFFF
_LOWEST_LEVEL: Final = 15  # P15; 32 stands for unknown
_CLOCKS: Final = "nvmlDeviceGetCurrentClocks"


class Question:
    """One call of one device. decode adds what it told to what is found."""

    __slots__ = ("arguments", "decode", "function", "name", "readings")

    def __init__(
        self,
        name: str,
        function: Any,
        arguments: tuple[Any, ...],
        readings: tuple[str, ...],
        decode: Callable[[Found], None],
    ) -> None:
        self.name, self.function, self.arguments = name, function, arguments
        self.readings, self.decode = readings, decode


def questions(nvml: Any, handle: Any, activity: bool) -> list[Question]:
    """Return the calls for one device; function is None where the driver has none of that name.

    activity  whether the video units are asked, too
    """
    library = nvml.nvmlLib
    found = [_of_memory(library, handle), _of_rates(library, handle)]
    celsius, watts = ("temperature_celsius", float), ("power_watts", lambda value: value / 1000)
    for name, way, (reading, unit) in (
        ("nvmlDeviceGetTemperature", 0, celsius),
        ("nvmlDeviceGetPowerUsage", None, watts),
        ("nvmlDeviceGetClockInfo", 1, ("clock_mhz", int)),
        ("nvmlDeviceGetClockInfo", 2, ("clock_memory_mhz", int)),
        ("nvmlDeviceGetPerformanceState", None, ("performance_state", _level)),
    ):
        found.append(_of_one(library, handle, name, way, reading, unit))
    found.append(_of_reasons(library, handle))
    if activity:
        found += (_of_video(library, handle, unit) for unit in ("Encoder", "Decoder"))
    return found


def _level(value: int) -> str | None:
    return f"P{value}" if value <= _LOWEST_LEVEL else None


def _of_one(
    library: Any, handle: Any, name: str, way: int | None, reading: str, unit: Callable[[int], Any]
) -> Question:
    """Return a call that tells one number. way: which of several it is asked for."""
    value = c_uint()
    arguments = (handle, byref(value)) if way is None else (handle, c_uint(way), byref(value))

    def decode(found: Found) -> None:
        if value.value != _NOT_AVAILABLE:
            found[reading] = unit(value.value)

    return Question(name, getattr(library, name, None), arguments, (reading,), decode)


def _of_memory(library: Any, handle: Any) -> Question:
    name = "nvmlDeviceGetMemoryInfo"
    second = getattr(library, f"{name}_v2", None)
    memory: Any = MemoryV1() if second is None else MemoryV2(version=0x02000028)

    def decode(found: Found) -> None:
        found["memory_total_bytes"], found["memory_used_bytes"] = memory.total, memory.used
        found["memory_free_bytes"] = memory.free
        if second is not None:
            found["memory_reserved_bytes"] = memory.reserved

    function = getattr(library, name, None) if second is None else second
    return Question(
        name if second is None else f"{name}_v2",
        function,
        (handle, byref(memory)),
        ("memory_used_bytes", "memory_free_bytes"),
        decode,
    )


def _of_rates(library: Any, handle: Any) -> Question:
    name, rates = "nvmlDeviceGetUtilizationRates", Rates()

    def decode(found: Found) -> None:
        found["busy_percent"], found["memory_busy_percent"] = float(rates.gpu), float(rates.memory)

    told = ("busy_percent", "memory_busy_percent")
    return Question(name, getattr(library, name, None), (handle, byref(rates)), told, decode)


def _of_reasons(library: Any, handle: Any) -> Question:
    name = next((n for n in (f"{_CLOCKS}EventReasons", f"{_CLOCKS}ThrottleReasons") if hasattr(library, n)), _CLOCKS)
    mask = c_ulonglong()
    usual = {0: (), **{bit: (reason,) for bit, reason in REASONS.items()}}

    def decode(found: Found) -> None:
        bits = mask.value
        found["clock_event_reasons"] = usual[bits] if bits in usual else reasons(bits)

    return Question(name, getattr(library, name, None), (handle, byref(mask)), ("clock_event_reasons",), decode)


def _of_video(library: Any, handle: Any, unit: str) -> Question:
    """Return the call that tells how busy the encoder or the decoder was, over a time that the driver chooses."""
    name, reading = f"nvmlDeviceGet{unit}Utilization", f"{unit.lower()}_percent"
    percent, period = c_uint(), c_uint()

    def decode(found: Found) -> None:
        found[reading] = float(percent.value)

    return Question(name, getattr(library, name, None), (handle, byref(percent), byref(period)), (reading,), decode)
