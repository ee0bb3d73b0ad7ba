"""The calls of a device listing, made directly to NVML's library, under pynvml's names.

Why     importing pynvml, with all of NVML's structures, is a quarter of the time of `accel devices --json`
Source  nvml.h
Missing or refused calls raise as in pynvml. Other calls, such as those for MIG, go to pynvml.
"""
# ruff: noqa: N802, N815  # the names are pynvml's

from collections.abc import Callable
from ctypes import Structure, byref, c_int, c_uint, c_ulonglong, c_void_p, create_string_buffer
from functools import partial
from typing import Any, Final

from accel_nvidia.nvml_errors import FUNCTION_NOT_FOUND
from accel_nvidia.nvml_structures import MEMORY_V2, FieldValue, MemoryV1, MemoryV2, Pci, Rates

_TEXT_BYTES: Final = 96  # NVML's largest buffer for any of these texts
_TEXTS: Final = frozenset(
    {
        "nvmlSystemGetDriverVersion",
        "nvmlSystemGetNVMLVersion",
        "nvmlDeviceGetUUID",
        "nvmlDeviceGetName",
        "nvmlDeviceGetSerial",
    }
)


class NVMLError(Exception):
    """An NVML error, with the interface of pynvml's."""

    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.value = value


_OUT: Final[dict[str, tuple[str, Any]]] = {  # pynvml's name: the library's name, and its outputs
    "nvmlSystemGetCudaDriverVersion_v2": ("nvmlSystemGetCudaDriverVersion_v2", c_int),
    "nvmlDeviceGetCount": ("nvmlDeviceGetCount_v2", c_uint),
    "nvmlDeviceGetArchitecture": ("nvmlDeviceGetArchitecture", c_uint),
    "nvmlDeviceGetNumGpuCores": ("nvmlDeviceGetNumGpuCores", c_uint),
    "nvmlDeviceGetPowerUsage": ("nvmlDeviceGetPowerUsage", c_uint),
    "nvmlDeviceGetEnforcedPowerLimit": ("nvmlDeviceGetEnforcedPowerLimit", c_uint),
    "nvmlDeviceGetCurrentClocksEventReasons": ("nvmlDeviceGetCurrentClocksEventReasons", c_ulonglong),
    "nvmlDeviceGetCurrentClocksThrottleReasons": ("nvmlDeviceGetCurrentClocksThrottleReasons", c_ulonglong),
    "nvmlDeviceGetMemoryInfo": ("nvmlDeviceGetMemoryInfo", MemoryV1),
    "nvmlDeviceGetPciInfo": ("nvmlDeviceGetPciInfo_v3", Pci),
    "nvmlDeviceGetUtilizationRates": ("nvmlDeviceGetUtilizationRates", Rates),
}
_PAIRS: Final[dict[str, Any]] = {"nvmlDeviceGetCudaComputeCapability": c_int, "nvmlDeviceGetMigMode": c_uint}


class Calls:
    """The parts of the pynvml module that a listing uses.

    library  NVML's library, loaded
    others   imports pynvml, for calls that are not implemented here; without it they raise AttributeError
    """

    NVMLError = NVMLError
    c_nvmlFieldValue_t = FieldValue
    nvmlMemory_v2: Final = MEMORY_V2

    def __init__(self, library: Any, others: Callable[[], Any] | None = None) -> None:
        self.nvmlLib = library
        self._others = others

    def __getattr__(self, name: str) -> Any:
        if name in _TEXTS:
            return partial(self._text, name)
        if name in _PAIRS:
            return partial(self._pair, name)
        if name in _OUT:
            return partial(self._filled, name)
        if self._others is None or not name.startswith("nvml"):
            raise AttributeError(name)
        pynvml = self._others()
        if pynvml.nvmlLib is None:  # it would load the library at nvmlInit, which has been called
            pynvml.nvmlLib = self.nvmlLib
        return getattr(pynvml, name)

    def nvmlInit(self) -> None:
        self._call("nvmlInitWithFlags", c_uint(0))

    def nvmlShutdown(self) -> None:
        self._call("nvmlShutdown")

    def nvmlDeviceGetHandleByIndex(self, index: int) -> c_void_p:
        handle = c_void_p()
        self._call("nvmlDeviceGetHandleByIndex_v2", c_uint(index), byref(handle))
        return handle

    def nvmlDeviceGetTemperature(self, handle: Any, sensor: int) -> int:
        degrees = c_uint()
        self._call("nvmlDeviceGetTemperature", handle, c_uint(sensor), byref(degrees))
        return degrees.value

    def nvmlDeviceGetMemoryInfo(self, handle: Any, version: int | None = None) -> Any:
        if version is None:  # drivers before 510
            return self._filled("nvmlDeviceGetMemoryInfo", handle)
        found = MemoryV2()
        self._call("nvmlDeviceGetMemoryInfo_v2", handle, byref(found))
        return found

    def _text(self, name: str, *handle: Any) -> str:
        buffer = create_string_buffer(_TEXT_BYTES)
        self._call(name, *handle, buffer, c_uint(_TEXT_BYTES))
        return buffer.value.decode("utf-8", "replace")

    def _pair(self, name: str, handle: Any) -> tuple[int, int]:
        first, second = _PAIRS[name](), _PAIRS[name]()
        self._call(name, handle, byref(first), byref(second))
        return first.value, second.value

    def _filled(self, name: str, *handle: Any) -> Any:
        symbol, kind = _OUT[name]
        found = kind()
        self._call(symbol, *handle, byref(found))
        return found if isinstance(found, Structure) else found.value

    def _call(self, symbol: str, *arguments: Any) -> None:
        function = getattr(self.nvmlLib, symbol, None)
        code = FUNCTION_NOT_FOUND if function is None else function(*arguments)
        if code:
            raise NVMLError(code)
