"""What pynvml's functions return, with its names and units.

Source  nvml.h: nvmlMemory_t, nvmlMemory_v2_t, nvmlUtilization_t, nvmlPciInfo_t, nvmlProcessInfo_t
"""
# ruff: noqa: N815 the names are pynvml's

from typing import Final

from accel.model.dataclass import dataclass

NO_INSTANCE: Final = 0xFFFFFFFF  # the instance of a process that is on no partition


@dataclass(frozen=True, slots=True)
class Handle:
    """A device, as nvmlDeviceGetHandleBy… returns it; the other functions take it."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Bytes. used is total less free, so with what the driver reserves; version 2 tells that apart."""

    total: int
    free: int
    used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryV2:
    """Bytes. used leaves out what the driver reserves."""

    version: int
    total: int
    reserved: int
    free: int
    used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Utilization:
    """Percent of the time: gpu, that it worked; memory, that memory was read or written, None if unknown."""

    gpu: int
    memory: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PciInfo:
    """busId is "00000000:19:00.0", upper case; pciDeviceId holds the device above the vendor, None if unknown."""

    busId: str
    busIdLegacy: str
    domain: int
    bus: int
    device: int
    pciDeviceId: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessInfo:
    """A process on a device. usedGpuMemory in bytes, None if unknown; the instances are those of MIG partitions."""

    pid: int
    usedGpuMemory: int | None
    gpuInstanceId: int = NO_INSTANCE
    computeInstanceId: int = NO_INSTANCE
