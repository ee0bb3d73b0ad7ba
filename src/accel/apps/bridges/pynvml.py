"""pynvml's most used calls, answered by accel for devices of any vendor.

    from accel.apps.bridges import pynvml

Units are NVML's: memory in bytes, power in milliwatts, utilisation in percent, temperature in °C. An unknown fact
raises NVMLError_NotSupported, as NVML does if the board does not have it. Memory is read on each call; for the other
readings one sample serves all calls within 0.1 s. For the choice and order of the devices see
accel.apps.bridges.one_vendor.
"""
# ruff: noqa: N802, N803 the names are pynvml's

import re
from functools import cache
from typing import Final, TypeVar

from accel.apps.bridges.nvml_errors import *  # noqa: F403 the errors and their codes are part of pynvml's names
from accel.apps.bridges.nvml_errors import (
    NVMLError_FunctionNotFound,
    NVMLError_InvalidArgument,
    NVMLError_NotFound,
    NVMLError_NotSupported,
)
from accel.apps.bridges.nvml_records import Handle, Memory, MemoryV2, PciInfo, ProcessInfo, Utilization
from accel.apps.bridges.nvml_session import Session
from accel.model.device import Device

NVML_TEMPERATURE_GPU: Final = 0
nvmlMemory_v2: Final = 0x02000028  # noqa: N816

_Fact = TypeVar("_Fact")
_ADDRESS: Final = re.compile(r"(?P<domain>[0-9a-f]{4,8}):(?P<bus>[0-9a-f]{2}):(?P<slot>[0-9a-f]{2})\.(?P<part>[0-7])")


@cache
def _session() -> Session:
    return Session()


def nvmlInit() -> None:
    """List the devices; may be called more than once. Raises NVMLError_LibraryNotFound if there is no accelerator."""
    _session().start()


def nvmlInitWithFlags(flags: int) -> None:
    """Same as nvmlInit: the flags are ignored."""
    _session().start()


def nvmlShutdown() -> None:
    """Undo one nvmlInit. Raises NVMLError_Uninitialized if there was none."""
    _session().stop()


def nvmlSystemGetDriverVersion() -> str:
    """Return the version of the vendor's driver."""
    return _told(next((d.driver_version for d in _session().listed() if d.driver_version is not None), None))


def nvmlSystemGetCudaDriverVersion() -> int:
    """Return 12080 for CUDA 12.8. Raises NVMLError_NotSupported if the driver is not a CUDA driver."""
    from accel.apps.api import snapshot
    from accel.facts.questions import Facts
    from accel.resolver.build_families import family_of
    from accel.specs import load

    backend = _session().listed()[0].backend
    if (family_of(load(), backend) or {}).get("toolkit") != "cuda":
        raise NVMLError_NotSupported
    driver = Facts(snapshot()).driver(backend)
    major, _, minor = _told(driver.toolkit_version if driver is not None else None).partition(".")
    return int(major) * 1000 + int(minor) * 10


def nvmlSystemGetCudaDriverVersion_v2() -> int:
    """Same as nvmlSystemGetCudaDriverVersion."""
    return nvmlSystemGetCudaDriverVersion()


def nvmlDeviceGetCount() -> int:
    """Return the number of devices."""
    return len(_session().listed())


def nvmlDeviceGetHandleByIndex(index: int) -> Handle:
    """Return the device with this index, counted from 0."""
    devices = _session().listed()
    if not 0 <= index < len(devices):
        raise NVMLError_InvalidArgument
    return Handle(devices[index].id)


def nvmlDeviceGetHandleByUUID(uuid: str | bytes) -> Handle:
    """Return the device with this UUID. Raises NVMLError_NotFound."""
    return _with("uuid", _text(uuid))


def nvmlDeviceGetHandleBySerial(serial: str | bytes) -> Handle:
    """Return the device with this serial number. Raises NVMLError_NotFound."""
    return _with("serial", _text(serial))


def nvmlDeviceGetHandleByPciBusId(pciBusId: str | bytes) -> Handle:
    """Return the device at "0000:19:00.0" or "00000000:19:00.0". Raises NVMLError_NotFound."""
    found = _ADDRESS.fullmatch(_text(pciBusId).lower())
    if found is None:
        raise NVMLError_NotFound
    return _with("pci_address", f"{int(found['domain'], 16):04x}:{found['bus']}:{found['slot']}.{found['part']}")


def nvmlDeviceGetIndex(handle: Handle) -> int:
    """Return the device's index, counted from 0."""
    return _session().listed().index(_session().known(handle))


def nvmlDeviceGetName(handle: Handle) -> str:
    """Return the product name."""
    return _told(_session().known(handle).name)


def nvmlDeviceGetUUID(handle: Handle) -> str:
    """Return the vendor's stable identifier."""
    return _told(_session().known(handle).uuid)


def nvmlDeviceGetSerial(handle: Handle) -> str:
    """Return the serial number."""
    return _told(_session().known(handle).serial)


def nvmlDeviceGetPciInfo(handle: Handle) -> PciInfo:
    """Return the device's PCI address and ids."""
    device = _session().known(handle)
    found = _ADDRESS.fullmatch(_told(device.pci_address))
    if found is None:
        raise NVMLError_NotSupported
    domain = int(found["domain"], 16)
    rest = f"{found['bus']}:{found['slot']}.{found['part']}".upper()
    vendor, _, product = (device.pci_id or "").partition(":")
    return PciInfo(
        busId=f"{domain:08X}:{rest}",
        busIdLegacy=f"{domain:04X}:{rest}",
        domain=domain,
        bus=int(found["bus"], 16),
        device=int(found["slot"], 16),
        pciDeviceId=int(f"{product}{vendor}", 16) if product else None,
    )


def nvmlDeviceGetCudaComputeCapability(handle: Handle) -> tuple[int, int]:
    """Return (9, 0). Raises NVMLError_NotSupported for a device that CUDA does not support."""
    major, _, minor = (_session().known(handle).compute_capability or "").partition(".")
    if not (major.isdecimal() and minor.isdecimal()):
        raise NVMLError_NotSupported
    return int(major), int(minor)


def nvmlDeviceGetMemoryInfo(handle: Handle, version: int | None = None) -> Memory | MemoryV2:
    """Return the memory in bytes, read now. version: nvmlMemory_v2 reports memory reserved by the driver separately.

    Raises NVMLError_FunctionNotFound for version 2 if that is not known separately, as pynvml does on older drivers.
    """
    from accel.apps.api import memory

    now = memory(_session().known(handle).id)
    total, used = _told(now.total_bytes), _told(now.used_bytes)
    if version is not None:
        if now.reserved_bytes is None:
            raise NVMLError_FunctionNotFound
        free = total - used - now.reserved_bytes if now.free_bytes is None else now.free_bytes
        return MemoryV2(version=version, total=total, reserved=now.reserved_bytes, free=free, used=used)
    free = total - used if now.free_bytes is None else now.free_bytes
    return Memory(total=total, free=free, used=total - free)


def nvmlDeviceGetUtilizationRates(handle: Handle) -> Utilization:
    """Return percentages. memory is None if only the device's own utilisation is known."""
    device = _session().read(handle)
    memory: float | None = getattr(device, "memory_utilization_percent", None)
    return Utilization(gpu=round(_told(device.utilization_percent)), memory=None if memory is None else round(memory))


def nvmlDeviceGetTemperature(handle: Handle, sensor: int) -> int:
    """Return the temperature of the main die in °C; sensor: NVML_TEMPERATURE_GPU."""
    if sensor != NVML_TEMPERATURE_GPU:
        raise NVMLError_InvalidArgument
    return round(_told(_session().read(handle).temperature_celsius))


def nvmlDeviceGetPowerUsage(handle: Handle) -> int:
    """Return milliwatts."""
    return round(_told(_session().read(handle).power_watts) * 1000)


def nvmlDeviceGetEnforcedPowerLimit(handle: Handle) -> int:
    """Return the enforced limit in milliwatts."""
    return round(_told(_session().known(handle).power_limit_watts) * 1000)


def nvmlDeviceGetComputeRunningProcesses(handle: Handle) -> list[ProcessInfo]:
    """Return the processes on the device, including graphics ones, since accel does not distinguish them."""
    listed = _told(_session().read(handle).processes)
    return [ProcessInfo(pid=process.pid, usedGpuMemory=process.memory_bytes) for process in listed]


def nvmlDeviceGetGraphicsRunningProcesses(handle: Handle) -> list[ProcessInfo]:
    """Raise NVMLError_NotSupported: accel cannot tell graphics processes apart; the compute list includes them."""
    _session().known(handle)
    raise NVMLError_NotSupported


def _told(fact: _Fact | None) -> _Fact:
    """Return the fact. Raises NVMLError_NotSupported if it is None."""
    if fact is None:
        raise NVMLError_NotSupported
    return fact


def _with(fact: str, wanted: str) -> Handle:
    def same(device: Device) -> bool:
        value: str | None = getattr(device, fact)
        return value is not None and value.lower() == wanted.lower()

    found = next((device for device in _session().listed() if same(device)), None)
    if found is None:
        raise NVMLError_NotFound
    return Handle(found.id)


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value
