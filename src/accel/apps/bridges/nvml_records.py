"""The return types of pynvml's functions, with its names and units.

Source  nvml.h: nvmlMemory_t, nvmlMemory_v2_t, nvmlUtilization_t, nvmlPciInfo_t, nvmlProcessInfo_t
"""
# ruff: noqa: N815 the names are pynvml's

from typing import Final

from accel.model.dataclass import dataclass

NO_INSTANCE: Final = 0xFFFFFFFF  # the instance id of a process that is not on a partition


@dataclass(frozen=True, slots=True)
class Handle:
    """A device handle, as returned by nvmlDeviceGetHandleBy…; the other functions take it."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Bytes. used is total minus free, including memory reserved by the driver; version 2 reports that separately."""

    total: int
    free: int
    used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryV2:
    """Bytes. used excludes memory reserved by the driver."""

    version: int
    total: int
    reserved: int
    free: int
    used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Utilization:
    """Percent of the time that the GPU was busy (gpu) or its memory was read or written (memory, None if unknown)."""

    gpu: int
    memory: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PciInfo:
    """The device's PCI address and ids.

    busId        "00000000:19:00.0", upper case
    pciDeviceId  the device id in the high 16 bits and the vendor id in the low ones; None if unknown
    """

    busId: str
    busIdLegacy: str
    domain: int
    bus: int
    device: int
    pciDeviceId: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessInfo:
    """A process on a device. usedGpuMemory in bytes, None if unknown; the instance ids are those of MIG partitions."""

    pid: int
    usedGpuMemory: int | None
    gpuInstanceId: int = NO_INSTANCE
    computeInstanceId: int = NO_INSTANCE
