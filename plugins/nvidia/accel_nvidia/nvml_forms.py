"""NVML calls that pynvml lacks, or has in several forms: firmware, SRAM errors, the fabric, virtual GPUs.

Separate from nvml_binding since a device listing needs none of them. Source: nvml.h
"""

from ctypes import Structure, byref, c_ubyte, c_uint, c_ulonglong, create_string_buffer
from typing import Any, Final

from accel_nvidia.nvml_errors import FUNCTION_NOT_FOUND

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


def gsp_version(nvml: Any, handle: Any) -> str:
    """Return the version of the GSP firmware. pynvml's function took a buffer at first, later none."""
    function = getattr(nvml.nvmlLib, "nvmlDeviceGetGspFirmwareVersion", None)
    if function is None:
        raise nvml.NVMLError(FUNCTION_NOT_FOUND)
    buffer = create_string_buffer(_GSP_VERSION_BYTES)
    code = function(handle, buffer)
    if code:
        raise nvml.NVMLError(code)
    return buffer.value.decode("utf-8", "replace")


def vgpu_memory_used(nvml: Any, instance: int) -> int:
    """Return the bytes used by a virtual GPU. Raises NVMLError.

    pynvml's function has room for only half of the number.
    """
    function = getattr(nvml.nvmlLib, "nvmlVgpuInstanceGetFbUsage", None)
    if function is None:
        raise nvml.NVMLError(FUNCTION_NOT_FOUND)
    used = c_ulonglong()
    code = function(c_uint(instance), byref(used))
    if code:
        raise nvml.NVMLError(code)
    return used.value


def sram_errors(nvml: Any, handle: Any) -> SramErrors:
    """Return the SRAM's errors: parity and double-bit errors are uncorrectable. Raises NVMLError."""
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

    Mask and summary are None if the driver has none. Raises NVMLError. The newest form is tried first: a driver
    rejects unknown ones.
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
