"""The thin boundary to pynvml, which has no types: loading it, and the calls that it makes twice or not at all.

Seen with nvidia-ml-py 12.560 to 13.615.
"""

import sys
from ctypes import Structure, byref, c_ubyte, c_uint, c_ulonglong, create_string_buffer
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
_GSP_VERSION_BYTES: Final = 0x40
_REFUSED_FORM: Final = (2, 13, 25)


class SramErrors(Structure):
    _fields_ = (
        ("version", c_uint),
        *((name, c_ulonglong) for name in ("aggregate_parity", "aggregate_secded", "aggregate_corrected")),
        *((name, c_ulonglong) for name in ("volatile_parity", "volatile_secded", "volatile_corrected")),
        *((name, c_ulonglong) for name in ("in_l2", "in_sm", "in_pcie", "in_microcontroller", "elsewhere")),
        ("threshold_exceeded", c_uint),
    )


class _FabricV1(Structure):
    _fields_ = (("cluster", c_ubyte * 16), ("status", c_uint), ("clique", c_uint), ("state", c_ubyte))


class _FabricV2(Structure):
    _fields_ = (("version", c_uint), *_FabricV1._fields_, ("health_mask", c_uint))


class _FabricV3(Structure):
    _fields_ = (*_FabricV2._fields_, ("health_summary", c_ubyte))


def load(machine: "Machine") -> Any | None:
    """Return the pynvml module; None if the loader does not find NVML's library.

    The library is loaded through the machine first: so a recorded machine never reads the hardware of the machine
    it is replayed on, pynvml is not imported in vain, and on WSL the copy that ldconfig may not know is used
    (the loader gives pynvml, which asks by name only, the copy that is loaded already).
    A simulated machine's library brings a pynvml of its own (accel_nvidia.stand_in).
    """
    found = library(machine)
    if found is None:
        return None
    bound = getattr(type(found), "pynvml", None)
    return _pynvml() if bound is None else bound(found)


def load_few(machine: "Machine") -> Any | None:
    """Return what `load` does, with the few calls of a list of devices made without pynvml: it is slow to import."""
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
    """Say whether the loader would find NVML's library, without loading it."""
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

    family  "nvmlDeviceGetComputeRunningProcesses" and its like: the newest of its three forms that exists is used
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
    """Return (return code, value) of each (field id, scope id), in their order. Raises NVMLError.

    The array has one entry more than is asked for: some drivers write past the end of it.
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


def gsp_version(nvml: Any, handle: Any) -> str:
    """Return the version of the GSP firmware. pynvml's function took a buffer at first, and later none."""
    function = getattr(nvml.nvmlLib, "nvmlDeviceGetGspFirmwareVersion", None)
    if function is None:
        raise nvml.NVMLError(FUNCTION_NOT_FOUND)
    buffer = create_string_buffer(_GSP_VERSION_BYTES)
    code = function(handle, buffer)
    if code:
        raise nvml.NVMLError(code)
    return buffer.value.decode("utf-8", "replace")


def vgpu_memory_used(nvml: Any, instance: int) -> int:
    """Return the bytes that a virtual GPU uses. pynvml's function has room for half of the number. Raises NVMLError."""
    function = getattr(nvml.nvmlLib, "nvmlVgpuInstanceGetFbUsage", None)
    if function is None:
        raise nvml.NVMLError(FUNCTION_NOT_FOUND)
    used = c_ulonglong()
    code = function(c_uint(instance), byref(used))
    if code:
        raise nvml.NVMLError(code)
    return used.value


def sram_errors(nvml: Any, handle: Any) -> SramErrors:
    """Return the errors of the SRAM: a parity error or one of two bits cannot be corrected. Raises NVMLError."""
    function = getattr(nvml.nvmlLib, "nvmlDeviceGetSramEccErrorStatus", None)
    if function is None:
        raise nvml.NVMLError(FUNCTION_NOT_FOUND)
    found = SramErrors(version=0x01000068)
    code = function(handle, byref(found))
    if code:
        raise nvml.NVMLError(code)
    return found


def fabric_info(nvml: Any, handle: Any) -> tuple[int, int, int | None, int | None, bytes, int]:
    """Return the fabric's state, status, health mask and health summary, and its cluster and clique.

    Mask and summary are None where the driver has none. Raises NVMLError. The newest form is tried first: a driver
    refuses those that it does not know.
    """
    versioned = getattr(nvml.nvmlLib, "nvmlDeviceGetGpuFabricInfoV", None)
    if versioned is not None:
        for record, version in ((_FabricV3, 0x03000028), (_FabricV2, 0x02000024)):
            info = record(version=version)
            code = versioned(handle, byref(info))
            if code == 0:
                summary = getattr(info, "health_summary", None)
                return info.state, info.status, info.health_mask, summary, bytes(info.cluster), info.clique
            if code not in _REFUSED_FORM:
                raise nvml.NVMLError(code)
    plain = getattr(nvml.nvmlLib, "nvmlDeviceGetGpuFabricInfo", None)
    if plain is None:
        raise nvml.NVMLError(FUNCTION_NOT_FOUND)
    first = _FabricV1()
    code = plain(handle, byref(first))
    if code:
        raise nvml.NVMLError(code)
    return first.state, first.status, None, None, bytes(first.cluster), first.clique
