"""Runs nvidia-smi if NVML itself failed: its messages are evidence, and it may find another library."""

from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import field_names, replace
from accel.model.device import Gap
from accel.model.report import Report
from accel_nvidia.health import health
from accel_nvidia.model import NvidiaDevice
from accel_nvidia.smi_complaints import complaints

if TYPE_CHECKING:
    from accel.machine.process import CommandResult
    from accel.machine.protocol import Machine
    from accel.model.observation import Observation
    from accel.vendors.contract.backend import Request

_COMMANDS: Final = (("-q", "-x"), ())
_PATHS: Final = ("nvidia-smi", "/usr/lib/wsl/lib/nvidia-smi")
_SECONDS: Final = 10.0  # without persistence mode each GPU of a node takes about a second to wake
_SECONDS_AFTER_A_HANG: Final = 1.0  # it calls the same driver


def smi_reports(machine: "Machine", request: "Request", hung: bool) -> tuple[Report, ...]:
    """Return the reports parsed from nvidia-smi's output; () if it is not installed.

    hung  an NVML call did not return in this probe
    """
    seconds = _SECONDS_AFTER_A_HANG if hung else _SECONDS
    reports: list[Report] = []
    program = _PATHS[0]
    for arguments in _COMMANDS:
        name = " ".join(("nvidia-smi", *arguments))
        if any(call.startswith("nvidia-smi") for call, _ in request.skip):
            break
        request.progress.calling(name, None)
        result = machine.run((program, *arguments), seconds)
        if result.missing and program == _PATHS[0]:
            program = _PATHS[1]
            result = machine.run((program, *arguments), seconds)
        if result.missing:
            return ()
        if result.timed_out:
            reports.append(_silent(name, f"{name} did not end within {seconds:g} s"))
            return tuple(reports)
        found, noted = _read(result)
        if not found:
            said = complaints(f"{result.stdout}\n{result.stderr}", name)
            found = [_silent(name, _complaint(name, result), () if reports else (*said, *noted))]
        reports += found
        if any(report.devices for report in found):
            break
    return tuple(reports)


def _read(result: "CommandResult") -> "tuple[list[Report], tuple[Observation, ...]]":
    """Return the records parsed from the output, and any other facts recognized in it."""
    from accel.vendors.contract.backend import has_sign
    from accel.vendors.toolkit.members import readers_of

    text = result.stdout if not result.stderr.strip() else f"{result.stdout}\n{result.stderr}"
    lower = text.lower()
    found: list[Report] = []
    noted: list[Observation] = []
    for reader in readers_of("accel_nvidia"):
        if has_sign(reader, lower):
            for reading in reader.read(text):
                found += [replace(report, scope=None) for report in reading.reports]
                noted += [replace(one, line=None, last_line=None, grade="measured") for one in reading.observations]
    read = [_judged(report) for report in found if report.devices or report.driver]
    return read, tuple(noted)


def _judged(report: Report) -> Report:
    """Return the report with its GPUs' health, if the full log was printed, as NVML would judge it."""
    if report.source != "nvidia-smi -q -x":
        return report
    devices = [
        replace(d, health=health(_told(d), _tells_all(d))) if isinstance(d, NvidiaDevice) and not d.parent else d
        for d in report.devices
    ]
    return replace(report, devices=tuple(devices))


def _told(device: NvidiaDevice) -> dict[str, Any]:
    return {name: getattr(device, name) for name in field_names(device)}


def _tells_all(device: NvidiaDevice) -> bool:
    """Return whether every fact that could show a fault is known; N/A in the log means that the board lacks it."""
    remaps = device.retirement_pending is not None or None not in (device.remap_pending, device.remap_failed)
    counted = device.ecc_uncorrected_volatile is not None and remaps
    return device.clock_event_reasons is not None and (counted or not device.ecc_enabled)


def _complaint(name: str, result: "CommandResult") -> str:
    lines = (result.stderr.strip() or result.stdout.strip() or "printed nothing").splitlines()
    return f"{name} ended with exit code {result.exit_code}: {lines[0][:200]}"


def _silent(name: str, reason: str, said: "tuple[Observation, ...]" = ()) -> Report:
    gap = Gap(fact=name, reason=reason, backend="nvidia", source=name)
    return Report(backend="nvidia", source=name, status="failed", observations=said, gaps=(gap,))
