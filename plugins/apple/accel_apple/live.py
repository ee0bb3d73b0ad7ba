"""The GPUs of a live Mac: system_profiler, sysctl and ioreg. Nothing here uses Metal.

An Apple GPU shares the machine's memory, so its memory size is the machine's. The GPU's current memory use and
utilisation are readable by any user (ioreg). Temperature and power need root (powermetrics): they are gaps.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.model.device import Device, Gap, Memory, Process
from accel.model.report import Report
from accel.vendors.contract.backend import Request
from accel_apple.model import BACKEND, AppleDevice
from accel_apple.readers import ioreg
from accel_apple.readers.displays_json import READER

if TYPE_CHECKING:
    from accel.machine.process import CommandResult
    from accel.machine.protocol import Machine

_PROFILER: Final = ("/usr/sbin/system_profiler", "-json", "SPDisplaysDataType")
_SYSCTL: Final = ("/usr/sbin/sysctl", "-n", "hw.memsize")
_IOREG: Final = ("/usr/sbin/ioreg", "-r", "-d", "1", "-w", "0", "-c", "IOAccelerator")
_MEASURED: Final = ("utilization_percent", "memory_used_bytes")
_CALL: Final = "system_profiler SPDisplaysDataType"
_SECONDS: Final = 10.0
_UNMEASURED: Final = "ioreg reports it only for Apple's own GPUs"
_NO_HEALTH: Final = "not supported: macOS does not tell a GPU's health"
_ROOT_ONLY: Final = "macOS only shows it to root:  sudo powermetrics --samplers gpu_power -n 1"


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
    measured = _measured(machine)
    reports = []
    for report in found:
        devices = tuple(_read_now(_with_memory(d, memory_bytes), measured) for d in report.devices)
        for device in devices:
            request.progress.found(device)
        gaps = tuple(
            Gap(fact=fact, reason=_ROOT_ONLY, backend=BACKEND, source=_CALL)
            for fact in ("power_watts", "temperature_celsius")
        )
        gaps += (Gap(fact="health", reason=_NO_HEALTH, backend=BACKEND, source=_CALL),)
        gaps += tuple(
            Gap(fact=fact, reason=_UNMEASURED, device=device.id, backend=BACKEND, source="ioreg")
            for device in devices
            for fact in _MEASURED
            if getattr(device, fact) is None
        )
        reports.append(replace(report, devices=devices, status="partial", gaps=gaps))
    return tuple(reports)


def memory(machine: "Machine", device_id: str) -> Memory | None:
    """Read a GPU's memory; None if it is not listed."""
    devices = [d for report in probe(machine, Request()) for d in report.devices]
    device = next((d for d in devices if d.id == device_id), None)
    if device is None:
        return None
    return Memory(total_bytes=device.memory_total_bytes, used_bytes=device.memory_used_bytes)


def sample(machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
    """Return the devices with ioreg's current readings; the other changing values cannot be read without root."""
    measured = _measured(machine)
    return tuple(_read_now(device, measured) for device in devices)


def processes(machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
    """Return nothing: macOS does not list the processes that use a GPU."""
    return {}


def _with_memory(device: Device, memory_bytes: int | None) -> Device:
    """Return the device with the machine's memory: an Apple GPU may use it up to a limit set by Metal."""
    if not isinstance(device, AppleDevice) or device.vendor != "Apple" or device.memory_total_bytes is not None:
        return device
    return replace(device, unified_memory_bytes=memory_bytes, memory_total_bytes=memory_bytes)


def _measured(machine: "Machine") -> AppleDevice | None:
    text = machine.run(_IOREG, 5.0).stdout
    devices = [d for reading in ioreg.READER.read(text) for report in reading.reports for d in report.devices]
    return next((d for d in devices if isinstance(d, AppleDevice)), None)


def _read_now(device: Device, measured: AppleDevice | None) -> Device:
    """Return the device with the readings, if they are its own."""
    if measured is None or measured.name != device.name:
        measured = None
    return replace(
        device,
        utilization_percent=measured.utilization_percent if measured else None,
        memory_used_bytes=measured.memory_used_bytes if measured else None,
        power_watts=None,
    )


def _memory_bytes(machine: "Machine") -> int | None:
    said = machine.run(_SYSCTL, 2.0).stdout.strip()
    return int(said) if said.isascii() and said.isdecimal() else None


def _why(result: "CommandResult") -> str:
    if result.missing:
        return "system_profiler could not be started"
    if result.timed_out:
        return f"system_profiler gave no answer in {result.seconds:.0f} s and was killed"
    return f"system_profiler ended with {result.exit_code} and listed no GPU"


def _failed(reason: str) -> Report:
    gap = Gap(fact="devices", reason=reason, backend=BACKEND, source=_CALL)
    return Report(backend=BACKEND, source=_CALL, status="failed", trust=60, gaps=(gap,))
