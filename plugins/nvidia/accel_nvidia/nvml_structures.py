"""NVML structures shared by several calls, from nvml.h; pynvml's own require loading its whole module."""

from ctypes import (
    Structure,
    Union,
    c_char,
    c_double,
    c_int,
    c_int64,
    c_longlong,
    c_uint,
    c_ulong,
    c_ulonglong,
    c_ushort,
)
from typing import Final

NOT_AVAILABLE: Final = 0xFFFFFFFFFFFFFFFF  # unknown process memory
MEMORY_V2: Final = 0x02000028  # the version and the size of MemoryV2


class Pci(Structure):
    _fields_ = (
        ("busIdLegacy", c_char * 16),
        *((name, c_uint) for name in ("domain", "bus", "device", "pciDeviceId", "pciSubSystemId")),
        ("busId", c_char * 32),
    )


class MemoryV1(Structure):
    _fields_ = tuple((name, c_ulonglong) for name in ("total", "free", "used"))


class MemoryV2(Structure):
    _fields_ = (("version", c_uint), *((name, c_ulonglong) for name in ("total", "reserved", "free", "used")))

    def __init__(self) -> None:
        super().__init__(version=MEMORY_V2)


class Rates(Structure):
    _fields_ = (("gpu", c_uint), ("memory", c_uint))


class _Value(Union):
    _fields_ = (
        ("dVal", c_double),
        ("uiVal", c_uint),
        ("ulVal", c_ulong),
        ("ullVal", c_ulonglong),
        ("sllVal", c_longlong),
        ("siVal", c_int),
        ("usVal", c_ushort),
    )


class FieldValue(Structure):
    _fields_ = (
        *(("fieldId", c_uint), ("scopeId", c_uint), ("timestamp", c_int64), ("latencyUsec", c_int64)),
        *(("valueType", c_uint), ("nvmlReturn", c_uint), ("value", _Value)),
    )


class ProcessV1(Structure):
    _fields_ = (("pid", c_uint), ("memory", c_ulonglong))


class ProcessV2(Structure):
    _fields_ = (*ProcessV1._fields_, ("gpu_instance", c_uint), ("compute_instance", c_uint))
