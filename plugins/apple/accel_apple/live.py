"""The GPUs of a live Mac: system_profiler and sysctl. Nothing here touches Metal.

An Apple GPU shares the machine's memory, so its size is the machine's; how much of it is the GPU's at the moment, how
busy and how warm it is, only root may ask (powermetrics): these are gaps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from accel.backend import Request
from accel.model.device import Device, Gap, Memory, Process
from accel.model.report import Report
from accel_apple.model import BACKEND, AppleDevice
from accel_apple.readers.displays_json import READER

if TYPE_CHECKING:
    from accel.command import CommandResult
    from accel.machine import Machine

_PROFILER: Final = ("/usr/sbin/system_profiler", "-json", "SPDisplaysDataType")
_SYSCTL: Final = ("/usr/sbin/sysctl", "-n", "hw.memsize")
_CALL: Final = "system_profiler SPDisplaysDataType"
_SECONDS: Final = 10.0
_ROOT_ONLY: Final = "macOS tells it only to root:  sudo powermetrics --samplers gpu_power -n 1"


def probe(machine: "Machine", request: Request) -> Sequence[Report]:
    """Read the GPUs that system_profiler lists."""
    if (_CALL, None) in request.skip:
        return (_failed("it hung or crashed before"),)
    request.progress.calling(_CALL)
    result = machine.run(_PROFILER, _SECONDS)
    found = [report for reading in READER.read(result.stdout) for report in reading.reports]
    if not found:
        return (_failed(_why(result)),)
    memory_bytes = _memory_bytes(machine)
    reports = []
    for report in found:
        devices = tuple(_with_memory(device, memory_bytes) for device in report.devices)
        for device in devices:
            request.progress.found(device)
        gaps = tuple(
            Gap(fact=fact, reason=_ROOT_ONLY, backend=BACKEND, source=_CALL)
            for fact in ("utilization_percent", "power_watts", "temperature_celsius")
        )
        reports.append(replace(report, devices=devices, status="partial", gaps=gaps))
    return tuple(reports)


def memory(machine: "Machine", device_id: str) -> Memory | None:
    """Read the size of a GPU's memory; None if it is not listed."""
    devices = [d for report in probe(machine, Request()) for d in report.devices]
    device = next((d for d in devices if d.id == device_id), None)
    return None if device is None else Memory(total_bytes=device.memory_total_bytes)


def sample(machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
    """Return the same devices: nothing that changes can be read without root."""
    return devices


def processes(machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
    """Return nothing: macOS does not list them."""
    return {}


def _with_memory(device: Device, memory_bytes: int | None) -> Device:
    """An Apple GPU may use what the machine has, up to a limit that Metal sets."""
    if not isinstance(device, AppleDevice) or device.vendor != "Apple" or device.memory_total_bytes is not None:
        return device
    return replace(device, unified_memory_bytes=memory_bytes, memory_total_bytes=memory_bytes)


def _memory_bytes(machine: "Machine") -> int | None:
    said = machine.run(_SYSCTL, 2.0).stdout.strip()
    return int(said) if said.isascii() and said.isdigit() else None


def _why(result: "CommandResult") -> str:
    if result.missing:
        return "system_profiler could not be started"
    if result.timed_out:
        return f"system_profiler gave no answer in {result.seconds:.0f} s and was killed"
    return f"system_profiler ended with {result.exit_code} and listed no GPU"


def _failed(reason: str) -> Report:
    gap = Gap(fact="devices", reason=reason, backend=BACKEND, source=_CALL)
    return Report(backend=BACKEND, source=_CALL, status="failed", trust=60, gaps=(gap,))
