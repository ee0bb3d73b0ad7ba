"""What each NVML call returns about a GPU: one table, shared by probe, sample, readings and health.

Source  nvml.h
"""

from collections.abc import Callable
from ctypes import c_uint, c_ulonglong
from typing import TYPE_CHECKING, Any, Final

from accel_nvidia.clock_reasons import REASONS, reasons
from accel_nvidia.nvml_structures import MemoryV1, MemoryV2, Rates

if TYPE_CHECKING:
    from accel_nvidia.nvml_session import Session

_NOT_AVAILABLE: Final = 0xFFFFFFFF
_LOWEST_LEVEL: Final = 15  # P15; 32 stands for unknown
_OPTIONAL: Final = (3, 13, 25, 26)  # without the function the driver lacks the feature too
_COMPUTE_MODES: Final = {0: "default", 1: "exclusive-thread", 2: "prohibited", 3: "exclusive-process"}
_VIRTUALIZATION: Final = {0: "none", 1: "pass-through", 2: "vgpu", 3: "host-vgpu", 4: "host-vsga"}
_DRIVER_MODELS: Final = {0: "WDDM", 1: "TCC", 2: "MCDM"}
_ADDRESSING: Final = {0: "None", 1: "HMM", 2: "ATS"}
_BRANDS: Final = {
    1: "Quadro",
    2: "Tesla",
    3: "NVS",
    4: "GRID",
    5: "GeForce",
    6: "TITAN",
    7: "NVIDIA vApps",
    8: "NVIDIA VPC",
    9: "NVIDIA vCS",
    10: "NVIDIA RTX vWS",
    11: "NVIDIA Cloud Gaming",
    12: "Quadro RTX",
    13: "NVIDIA RTX",
    14: "NVIDIA",
    15: "GeForce RTX",
    16: "TITAN RTX",
}
_USUAL: Final = {0: (), **{bit: (reason,) for bit, reason in REASONS.items()}}

Form = tuple[str, tuple[Any, ...]]  # the library's function name, and the types of its outputs
Found = dict[str, Any]


class Question:
    """One call for a device, and the fields of the device's record that its result fills.

    call       its name in pynvml
    arguments  arguments after the device's handle
    values     the fields' values, in order, from pynvml's result; for one field just its value
    forms      how to call the library itself, newest first, if that is not `call` filling one number
    instead    pynvml's name of the older drivers' counterpart
    quiet      NVML's codes that are answers, and leave no gap
    """

    __slots__ = ("arguments", "call", "facts", "forms", "instead", "quiet", "values")

    def __init__(
        self,
        call: str,
        facts: str | tuple[str, ...],
        values: Callable[[Any], Any],
        arguments: tuple[int, ...] = (),
        *,
        forms: tuple[Form, ...] = (),
        instead: str | None = None,
        quiet: tuple[int, ...] = (),
    ) -> None:
        self.call, self.arguments, self.values = call, arguments, values
        self.facts = (facts,) if isinstance(facts, str) else facts
        self.forms = forms or ((call, (c_uint,)),)
        self.instead, self.quiet = instead, quiet

    def tell(self, answer: Any, found: Found) -> None:
        """Add the fields to what was found; none if NVML's value means unknown."""
        if answer == _NOT_AVAILABLE:
            return
        if len(self.facts) == 1:
            found[self.facts[0]] = self.values(answer)
        else:
            found.update(zip(self.facts, self.values(answer), strict=True))

    def ask(self, session: "Session", handle: Any, device: str) -> Found:
        """Call it for a device in a probe. A failed call leaves a gap in the session and adds nothing."""
        answer = session.ask(
            self.call,
            handle,
            *self.arguments,
            device=device,
            fact=self.facts[0],
            instead=None if self.instead is None else (self.instead, (handle, *self.arguments)),
            quiet=self.quiet,
        )
        found: Found = {}
        if answer is not None:
            self.tell(answer, found)
        return found


def text(value: object) -> str | None:
    """Return an NVML string; None if it is empty or "N/A". Older pynvml returns bytes from some functions."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str) or value.strip() in ("", "N/A", "[N/A]"):
        return None
    return value.strip()


def watts(milliwatts: float) -> float:
    return milliwatts / 1000


def _level(state: int) -> str | None:
    return f"P{state}" if state <= _LOWEST_LEVEL else None


def _memory(told: Any) -> tuple[int | None, ...]:
    return told.total, told.used, told.free, getattr(told, "reserved", None)


def _clock_reasons(mask: int) -> tuple[str, ...]:
    return _USUAL[mask] if mask in _USUAL else reasons(mask)


def _percent(both: Any) -> float:
    return float(both[0])  # the other is the driver's sampling period in microseconds


def _video(unit: str) -> Question:
    call = f"nvmlDeviceGet{unit}Utilization"
    return Question(call, f"{unit.lower()}_percent", _percent, forms=((call, (c_uint, c_uint)),))


IDENTITY: Final = (
    Question("nvmlDeviceGetUUID", "uuid", text),
    Question("nvmlDeviceGetName", "name", text),
    Question("nvmlDeviceGetSerial", "serial", text),
)
MEMORY: Final = Question(
    "nvmlDeviceGetMemoryInfo",
    ("memory_total_bytes", "memory_used_bytes", "memory_free_bytes", "memory_reserved_bytes"),
    _memory,
    forms=(("nvmlDeviceGetMemoryInfo_v2", (MemoryV2,)), ("nvmlDeviceGetMemoryInfo", (MemoryV1,))),
)
RATES: Final = Question(
    "nvmlDeviceGetUtilizationRates",
    ("utilization_percent", "memory_utilization_percent"),
    lambda rates: (float(rates.gpu), float(rates.memory)),
    forms=(("nvmlDeviceGetUtilizationRates", (Rates,)),),
)
TEMPERATURE: Final = Question("nvmlDeviceGetTemperature", "temperature_celsius", float, (0,))
POWER: Final = Question("nvmlDeviceGetPowerUsage", "power_watts", watts)
POWER_LIMIT: Final = Question("nvmlDeviceGetEnforcedPowerLimit", "power_limit_watts", watts)
CLOCK_REASONS: Final = Question(
    "nvmlDeviceGetCurrentClocksEventReasons",
    "clock_event_reasons",
    _clock_reasons,
    forms=tuple((f"nvmlDeviceGetCurrentClocks{why}Reasons", (c_ulonglong,)) for why in ("Event", "Throttle")),
    instead="nvmlDeviceGetCurrentClocksThrottleReasons",
)
STATE: Final = (
    Question("nvmlDeviceGetClockInfo", "clock_sm_mhz", int, (1,)),
    Question("nvmlDeviceGetClockInfo", "clock_memory_mhz", int, (2,)),
    Question("nvmlDeviceGetPerformanceState", "performance_state", _level),
)
VIDEO: Final = (_video("Encoder"), _video("Decoder"))
SAMPLED: Final = (MEMORY, RATES, TEMPERATURE, POWER)
PCIE_LINK: Final = (
    Question("nvmlDeviceGetCurrPcieLinkGeneration", "pcie_generation_current", int),
    Question("nvmlDeviceGetMaxPcieLinkGeneration", "pcie_generation_maximum", int),
    Question("nvmlDeviceGetCurrPcieLinkWidth", "pcie_width_current", int),
    Question("nvmlDeviceGetMaxPcieLinkWidth", "pcie_width_maximum", int),
)
HEALTH: Final = (
    Question("nvmlDeviceGetTotalEccErrors", "ecc_corrected_volatile", int, (0, 0)),
    Question("nvmlDeviceGetTotalEccErrors", "ecc_uncorrected_volatile", int, (1, 0)),
    Question("nvmlDeviceGetTotalEccErrors", "ecc_corrected_aggregate", int, (0, 1)),
    Question("nvmlDeviceGetTotalEccErrors", "ecc_uncorrected_aggregate", int, (1, 1)),
    Question("nvmlDeviceGetRetiredPages", "retired_pages_single_bit", len, (0,)),
    Question("nvmlDeviceGetRetiredPages", "retired_pages_double_bit", len, (1,)),
    Question("nvmlDeviceGetRetiredPagesPendingStatus", "retirement_pending", bool),
    Question("nvmlDeviceGetPcieReplayCounter", "pcie_replay_count", int),
    Question("nvmlDeviceGetTemperatureThreshold", "shutdown_celsius", float, (0,)),
    Question("nvmlDeviceGetTemperatureThreshold", "slowdown_celsius", float, (1,)),
    Question("nvmlDeviceGetTemperatureThreshold", "memory_slowdown_celsius", float, (2,)),
    Question("nvmlDeviceGetTemperatureThreshold", "operating_celsius", float, (3,)),  # GPU_MAX
    Question("nvmlDeviceGetTotalEnergyConsumption", "energy_joules", lambda millijoules: millijoules / 1000),
    *STATE[:2],
    Question("nvmlDeviceGetMaxClockInfo", "clock_sm_max_mhz", int, (1,)),
    Question("nvmlDeviceGetMaxClockInfo", "clock_memory_max_mhz", int, (2,)),
    *STATE[2:],
    Question("nvmlDeviceGetPowerManagementDefaultLimit", "power_default_watts", watts),
    Question("nvmlDeviceGetPowerManagementLimitConstraints", "power_maximum_watts", lambda both: watts(both[1])),
    Question("nvmlDeviceGetFanSpeed", "fan_percent", float),
    *VIDEO,
    Question("nvmlDeviceGetPersistenceMode", "persistence_mode", bool),
    Question("nvmlDeviceGetComputeMode", "compute_mode", _COMPUTE_MODES.get),
    Question("nvmlDeviceGetDisplayActive", "display_active", bool),
    Question("nvmlDeviceGetVirtualizationMode", "virtualization", _VIRTUALIZATION.get),
    Question("nvmlDeviceGetBrand", "brand", _BRANDS.get),
    Question("nvmlDeviceGetBoardId", "board_id", hex),
    Question("nvmlDeviceGetMinorNumber", "minor_number", int),
    Question("nvmlDeviceGetVbiosVersion", "vbios_version", text),
    Question("nvmlDeviceGetDriverModel", "driver_model", lambda both: _DRIVER_MODELS.get(both[0]), quiet=_OPTIONAL),
    Question("nvmlDeviceGetAddressingMode", "addressing_mode", _ADDRESSING.get, quiet=_OPTIONAL),
)
