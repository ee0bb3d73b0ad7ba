"""The memory of devices that use the system's memory: the CPU's figures, if their own driver reports none."""

from collections.abc import Sequence

from accel.model.dataclass import replace
from accel.model.device import Device, Memory, memory_of
from accel.model.report import Report

_SIZES = ("memory_total_bytes", "memory_used_bytes", "memory_free_bytes")


def with_system_memory(reports: Sequence[Report]) -> tuple[Report, ...]:
    """Return the reports with the system's memory filled in for devices with unified memory whose driver reports none.

    Gaps about values that are now known are removed.
    """
    system = next((d for report in reports for d in report.devices if d.kind == "cpu"), None)
    if not any(_lacks(device) for report in reports for device in report.devices):
        return tuple(reports)
    return tuple(_filled(report, memory_of(system)) for report in reports)


def given_system_memory(device: Device, system: Memory | None) -> Device:
    """Return the device with the system's memory, if it uses that and its driver does not report it.

    A total reported by the driver is kept, and limits what is free.
    """
    if system is None or not _lacks(device):
        return device
    total = device.memory_total_bytes if device.memory_total_bytes is not None else system.total_bytes
    free = device.memory_free_bytes if device.memory_free_bytes is not None else system.free_bytes
    if free is not None and total is not None:
        free = min(free, total)
    used = device.memory_used_bytes
    if used is None and total is not None and free is not None:
        used = total - free
    return replace(device, memory_total_bytes=total, memory_used_bytes=used, memory_free_bytes=free)


def _lacks(device: Device) -> bool:
    return device.unified_memory is True and any(getattr(device, name) is None for name in _SIZES)


def _filled(report: Report, system: Memory | None) -> Report:
    devices = tuple(given_system_memory(device, system) for device in report.devices)
    known = {(device.id, name) for device in devices for name in _SIZES if getattr(device, name) is not None}
    gaps = tuple(gap for gap in report.gaps if (gap.device, gap.fact) not in known)
    return replace(report, devices=devices, gaps=gaps)
