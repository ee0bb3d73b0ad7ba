"""A thin layer over untyped pynvml: loading it, and calls that it makes twice or not at all.

Seen with nvidia-ml-py 12.560 to 13.615.
"""

import sys
from ctypes import byref, c_uint
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from accel_nvidia.nvml_errors import FUNCTION_NOT_FOUND, INSUFFICIENT_SIZE
from accel_nvidia.nvml_structures import NOT_AVAILABLE, ProcessV1, ProcessV2

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

LIBRARIES: Final = ("libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1")
_WINDOWS_LIBRARIES: Final = ("nvml.dll", r"C:\Program Files\NVIDIA Corporation\NVSMI\nvml.dll")
_ROOM: Final = 64


def load(machine: "Machine") -> Any | None:
    """Return the pynvml module; None if the loader does not find NVML's library.

    The library is loaded through the machine first: a recorded machine then never reads the hardware of the machine
    it is replayed on, pynvml is not imported needlessly, and on WSL the copy is used that ldconfig may not know
    (pynvml asks only by name, and the loader gives it the copy that is already loaded).
    A simulated machine's library has its own pynvml (accel_nvidia.stand_in).
    """
    found = library(machine)
    if found is None:
        return None
    bound = getattr(type(found), "pynvml", None)
    return _pynvml() if bound is None else bound(found)


def load_few(machine: "Machine") -> Any | None:
    """Like `load`, but with the few calls of a device listing made without pynvml, which is slow to import."""
    found = library(machine)
    if found is None or "pynvml" in sys.modules or hasattr(type(found), "pynvml"):
        return load(machine)
    from accel_nvidia.nvml_calls import Calls

    return Calls(found, _pynvml)


def library(machine: "Machine") -> Any | None:
    """Return NVML's library, loaded; None if the loader does not find it."""
    found = (machine.library(name) for name in _names(machine))
    return next((one for one in found if one is not None), None)


def is_installed(machine: "Machine") -> bool:
    """Return whether the loader would find NVML's library, without loading it."""
    return any(machine.finds_library(name) for name in _names(machine))


def _names(machine: "Machine") -> tuple[str, ...]:
    return _WINDOWS_LIBRARIES if machine.system == "windows" else LIBRARIES


def _pynvml() -> Any:
    """Import pynvml without ctypes.util: that is 17 of its 27 ms, for a find_library that it never calls."""
    if "pynvml" in sys.modules or "ctypes.util" in sys.modules:
        return import_module("pynvml")
    stand_in = ModuleType("ctypes.util")
    stand_in.find_library = _find_library  # type: ignore[attr-defined]
    sys.modules["ctypes.util"] = stand_in
    try:
        return import_module("pynvml")
    finally:
        if sys.modules.get("ctypes.util") is stand_in:
            del sys.modules["ctypes.util"]


def _find_library(name: str) -> str | None:
    from ctypes.util import find_library

    return find_library(name)


def running(nvml: Any, family: str, handle: Any) -> list[tuple[int, int | None]]:
    """Return (pid, bytes or None) of each process, in one call where pynvml makes two. Raises NVMLError.

    family  "nvmlDeviceGetComputeRunningProcesses" or similar: the newest of its three forms that exists is used
    """
    for suffix, record in (("_v3", ProcessV2), ("_v2", ProcessV2), ("", ProcessV1)):
        function = getattr(nvml.nvmlLib, family + suffix, None)
        if function is not None:
            return _listed(nvml, function, record, handle)
    raise nvml.NVMLError(FUNCTION_NOT_FOUND)


def _listed(nvml: Any, function: Any, record: Any, handle: Any) -> list[tuple[int, int | None]]:
    room = _ROOM
    for _ in range(4):  # the list may grow between two calls
        count, array = c_uint(room), (record * room)()
        code = function(handle, byref(count), array)
        if code == 0:
            return [
                (one.pid, None if one.memory == NOT_AVAILABLE else one.memory)
                for one in array[: min(count.value, room)]
            ]
        if code != INSUFFICIENT_SIZE:
            break
        room = max(count.value, room) * 2
    raise nvml.NVMLError(code)


def field_values(nvml: Any, handle: Any, wanted: tuple[tuple[int, int], ...]) -> list[tuple[int, float]]:
    """Return (return code, value) of each (field id, scope id), in order. Raises NVMLError.

    The array has one spare entry: some drivers write past its end.
    """
    values = (nvml.c_nvmlFieldValue_t * (len(wanted) + 1))()
    for entry, (field, scope) in zip(values, wanted, strict=False):
        entry.fieldId, entry.scopeId = field, scope
    code = nvml.nvmlLib.nvmlDeviceGetFieldValues(handle, len(wanted), values)
    if code:
        raise nvml.NVMLError(code)
    return [(entry.nvmlReturn, _value(entry)) for entry in values[: len(wanted)]]


def _value(entry: Any) -> float:
    names = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")
    kind = entry.valueType
    found: float = getattr(entry.value, names[kind]) if kind < len(names) else entry.value.ullVal
    return found
