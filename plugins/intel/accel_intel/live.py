"""Intel GPUs on a live machine: sysfs, and xpu-smi if installed, each call with a deadline.

xpu-smi starts Level Zero, which takes a second or more; machines with only an integrated GPU rarely have it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import replace
from accel.model.device import Device, Gap, Memory, Process
from accel.model.report import Report
from accel.vendors.contract.backend import Request
from accel.vendors.toolkit.tool_answers import HUNG_BEFORE, why_nothing
from accel_intel.found_files import files_report
from accel_intel.model import BACKEND
from accel_intel.readers import xpu_smi_discovery, xpu_smi_dump, xpu_smi_health

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel_intel.watching import IntelWatching

_SECONDS: Final = 10.0
_LIST: Final = ("xpu-smi", "discovery", "--dump", "1,2,3,4,5,8,9,11,16")
_METRICS: Final = ("xpu-smi", "dump", "-d", "-1", "-m", "0,1,3,18", "-n", "1")
_HEALTH: Final = ("xpu-smi", "health", "-l")
_HINT: Final = "it knows use, memory and power of Intel's data centre GPUs"
_CHANGING: Final = (
    "memory_used_bytes",
    "memory_free_bytes",
    "utilization_percent",
    "temperature_celsius",
    "power_watts",
)


def probe(machine: "Machine", request: Request) -> Sequence[Report]:
    """Read the files and xpu-smi's output."""
    files = files_report(machine)
    answers = list(_answers(machine, request))
    for device in next((report.devices for report in answers if report.devices), files.devices):
        request.progress.found(device)
    return (*answers, files)


def memory(machine: "Machine", device_id: str) -> Memory | None:
    """Read one GPU's memory; None if neither xpu-smi nor the driver reports it."""
    measured = [d for d in _measured(machine) if d.id == device_id]
    totals = [d.memory_total_bytes for r in probe(machine, Request()) for d in r.devices if d.id == device_id]
    total = next((value for value in totals if value is not None), None)
    used = measured[0].memory_used_bytes if measured else None
    if total is None and used is None:
        return None
    free = total - used if total is not None and used is not None and total >= used else None
    return Memory(total_bytes=total, used_bytes=used, free_bytes=free)


def sample(machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
    """Return the devices with xpu-smi's current readings; None if it does not report them."""
    latest = {device.id: device for device in _measured(machine)}
    return tuple(_sampled(device, latest.get(device.id)) for device in devices)


def watching() -> "IntelWatching":
    """Return the GPU watcher: readings from xpu-smi and the files, with each process's activity."""
    from accel_intel.watching import IntelWatching

    return IntelWatching(sample)


def processes(machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
    """Return nothing: the driver does not list processes by device."""
    return {}


def _answers(machine: "Machine", request: Request) -> Iterator[Report]:
    calls = [(_LIST, xpu_smi_discovery.READER), (_METRICS, xpu_smi_dump.READER)]
    if request.depth != "devices":
        calls.append((_HEALTH, xpu_smi_health.READER))
    for argv, reader in calls:
        call = " ".join(argv[:2])
        if (call, None) in request.skip:
            yield _failed(call, HUNG_BEFORE, argv)
            continue
        request.progress.calling(call)
        result = machine.run(argv, _SECONDS)
        found = [report for reading in reader.read(result.stdout) for report in reading.reports]
        yield from found
        if result.missing or not found:
            yield _failed(call, why_nothing("xpu-smi", result, _HINT), argv)
            return


def _sampled(device: Device, latest: Device | None) -> Device:
    changes: dict[str, Any] = {name: getattr(latest, name, None) for name in _CHANGING}
    return replace(device, health=device.health if latest else "unknown", **changes)


def _failed(call: str, reason: str, argv: Sequence[str]) -> Report:
    facts = ("health",) if argv == _HEALTH else ("memory_used_bytes", "utilization_percent", "power_watts")
    gaps = tuple(Gap(fact=fact, reason=reason, backend=BACKEND, source=call) for fact in facts)
    return Report(backend=BACKEND, source=call, status="failed", trust=60, gaps=gaps)


def _measured(machine: "Machine") -> list[Device]:
    text = machine.run(_METRICS, _SECONDS).stdout
    return [d for reading in xpu_smi_dump.READER.read(text) for report in reading.reports for d in report.devices]
