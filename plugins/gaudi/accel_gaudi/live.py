"""Gaudi cards on a live machine: the driver's files, and hl-smi, each call with a deadline.

`accel devices` needs one call. Only the table has limits, errors and processes; it is read for the checks, and if the
query is refused: an hl-smi that does not know one of the fields answers none of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import replace
from accel.model.device import Device, Memory, Process, memory_of
from accel.model.observation import Noted
from accel.model.report import Report
from accel.vendors.contract.backend import Request
from accel.vendors.toolkit.notes import noted
from accel.vendors.toolkit.tool_answers import HUNG_BEFORE, failed, printed, why_nothing
from accel_gaudi.found_files import files_report
from accel_gaudi.model import BACKEND
from accel_gaudi.readers import hl_smi_query, hl_smi_table

if TYPE_CHECKING:
    from accel.machine.process import CommandResult
    from accel.machine.protocol import Machine

_SECONDS: Final = 10.0
_FIELDS: Final = (
    "index,module_id,bus_id,name,uuid,serial,driver_version,temperature.aip,utilization.aip,"
    "memory.total,memory.used,memory.free,power.draw"
)
_QUERY: Final = ("hl-smi", "-Q", _FIELDS, "-f", "csv")
_TABLE: Final = ("hl-smi",)
_HINT: Final = "it is part of habanalabs-firmware-tools"
_CHANGING: Final = (
    "memory_used_bytes",
    "memory_free_bytes",
    "utilization_percent",
    "temperature_celsius",
    "power_watts",
    "processes",
)


def probe(machine: "Machine", request: Request) -> Sequence[Report]:
    """Read hl-smi's output and the files."""
    answers = list(_answers(machine, request))
    files = files_report(machine)
    for device in next((report.devices for report in answers if report.devices), files.devices):
        request.progress.found(device)
    return (*answers, files)


def memory(machine: "Machine", device_id: str) -> Memory | None:
    """Read one card's memory; None if hl-smi does not respond or does not list it."""
    device = next((d for d in _devices(machine) if d.id == device_id), None)
    return memory_of(device)


def sample(machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
    """Return the devices with hl-smi's current readings; None if it no longer reports them."""
    latest = {device.id: device for device in _devices(machine)}
    health = {device.pci_address: device.health for device in files_report(machine).devices}
    return tuple(
        replace(_sampled(device, latest.get(device.id)), health=health.get(device.pci_address, "unknown"))
        for device in devices
    )


def processes(machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
    """Return the processes in the table: only root outside of containers sees all of them."""
    text = machine.run(_TABLE, _SECONDS).stdout
    return {d.id: d.processes for reading in hl_smi_table.READER.read(text) for r in reading.reports for d in r.devices}


def _answers(machine: "Machine", request: Request) -> Iterator[Report]:
    answered = False
    calls = ((_QUERY, hl_smi_query.READER), (_TABLE, hl_smi_table.READER))
    for argv, reader in calls:
        call = " ".join(argv[:2])
        if answered and request.depth == "devices":
            return
        if (call, None) in request.skip:
            yield failed(BACKEND, call, HUNG_BEFORE)
            continue
        request.progress.calling(call)
        result = machine.run(argv, _SECONDS)
        found = [report for reading in reader.read(result.stdout) for report in reading.reports]
        answered = answered or any(report.devices for report in found)
        yield from found
        listed = any(report.devices for report in found)
        if result.missing or (not listed and (argv == _TABLE or result.timed_out)):
            yield failed(BACKEND, call, why_nothing("hl-smi", result, _HINT), *_refused(result))
            return


def _refused(result: "CommandResult") -> tuple[Noted, ...]:
    said = printed(result)
    return (noted("gaudi-driver-not-loaded", said, "hl-smi"),) if "driver is not loaded" in said else ()


def _devices(machine: "Machine") -> list[Device]:
    for argv, reader in ((_QUERY, hl_smi_query.READER), (_TABLE, hl_smi_table.READER)):
        text = machine.run(argv, _SECONDS).stdout
        found = [d for reading in reader.read(text) for report in reading.reports for d in report.devices]
        if found:
            return found
    return []


def _sampled(device: Device, latest: Device | None) -> Device:
    changes: dict[str, Any] = {name: getattr(latest, name, None) for name in _CHANGING}
    return replace(device, **changes)
