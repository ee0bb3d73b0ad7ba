"""Enflame devices of a live machine: efsmi, each call with a deadline, and the PCI bus where it lists none."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

from accel.backend import Request
from accel.model.device import Device, Gap, Memory, Process
from accel.model.report import Event, Report
from accel_enflame.model import BACKEND, EnflameDevice, enflame_device

if TYPE_CHECKING:
    from accel.command import CommandResult
    from accel.machine import Machine

_SECONDS: Final = 10.0
_TOOLS: Final = ("efsmi", "/usr/bin/efsmi", "/usr/local/efsmi/efsmi")
_TABLE: Final[tuple[str, ...]] = ()
_MORE: Final[tuple[tuple[str, ...], ...]] = (("-q",),)
_BUS: Final = "/sys/bus/pci/devices"
_PCI_IDS: Final = ("1e36:",)
_CHANGING: Final = (
    "memory_used_bytes",
    "memory_free_bytes",
    "utilization_percent",
    "temperature_celsius",
    "power_watts",
    "health",
    "processes",
)


def probe(machine: "Machine", request: Request) -> Sequence[Report]:
    """Read what the tool answers, then the bus: the devices of the bus count where the tool has none."""
    answers = list(_answers(machine, request))
    listed = [device for report in answers for device in report.devices]
    bus = _bus_report(machine, listed)
    for device in listed or bus.devices:
        request.progress.found(device)
    return (*answers, bus)


def memory(machine: "Machine", device_id: str) -> Memory | None:
    """Read one device's memory; None if the tool does not answer or does not list it."""
    device = _table(machine).get(device_id)
    if device is None:
        return None
    return Memory(
        total_bytes=device.memory_total_bytes,
        used_bytes=device.memory_used_bytes,
        free_bytes=device.memory_free_bytes,
    )


def sample(machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
    """Return the devices with the table's readings of now; None where it no longer says them."""
    latest = _table(machine)
    return tuple(_sampled(device, latest.get(device.id)) for device in devices)


def processes(machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
    """Return the processes that the table lists."""
    return {device.id: device.processes for device in _table(machine).values()}


def _answers(machine: "Machine", request: Request) -> Iterator[Report]:
    for arguments in (_TABLE,) if request.depth == "devices" else (_TABLE, *_MORE):
        call = " ".join((_TOOLS[0], *arguments))
        if (call, None) in request.skip:
            yield _failed(call, "it hung or crashed before", None)
            continue
        request.progress.calling(call)
        result = _run(machine, arguments)
        found = [report for report in _read(result.stdout) if report.devices or report.driver]
        yield from found
        if not any(report.devices for report in found):
            yield _failed(call, *_why(result))
            return


def _run(machine: "Machine", arguments: Sequence[str]) -> "CommandResult":
    result = machine.run((_TOOLS[0], *arguments), _SECONDS)
    for tool in _TOOLS[1:]:
        if not result.missing:
            break
        result = machine.run((tool, *arguments), _SECONDS)
    return result


def _read(text: str) -> Iterator[Report]:
    from accel_enflame.readers import enflame_readers

    for reader in enflame_readers():
        if any(sign in text for sign in reader.signs):
            for reading in reader.read(text):
                yield from reading.reports


def _table(machine: "Machine") -> dict[str, Device]:
    return {d.id: d for report in _read(_run(machine, _TABLE).stdout) for d in report.devices}


def _why(result: "CommandResult") -> tuple[str, str]:
    """Return why the tool listed nothing, and the name of the event."""
    if result.missing:
        return f"{_TOOLS[0]} is not installed, or not mounted into this container", f"{BACKEND}-tool-missing"
    if result.timed_out:
        return (
            f"{_TOOLS[0]} gave no answer in {result.seconds:.0f} s and was killed; see  dmesg",
            f"{BACKEND}-tool-hung",
        )
    printed = " ".join(f"{result.stdout} {result.stderr}".split())[:160]
    said = "".join(c if c.isprintable() else "?" for c in printed) or "nothing"
    return f"{_TOOLS[0]} ended with {result.exit_code} and said: {said}", f"{BACKEND}-tool-no-list"


def _failed(call: str, reason: str, event: str | None) -> Report:
    gap = Gap(fact="devices", reason=reason, backend=BACKEND, source=call)
    events = (Event(name=event, message=reason, source=call),) if event else ()
    return Report(backend=BACKEND, source=call, status="failed", trust=60, events=events, gaps=(gap,))


def _bus_report(machine: "Machine", listed: Sequence[Device]) -> Report:
    """Return what the PCI bus adds to the listed devices, or the devices themselves if none is listed."""
    found = dict(_on_bus(machine))
    devices: list[EnflameDevice] = []
    events: tuple[Event, ...] = ()
    if listed:
        for device in listed:
            if device.pci_address in found:
                known = enflame_device(device.index, pci_address=device.pci_address)
                devices.append(replace(known, **found[device.pci_address]))
    else:
        for index, (address, facts) in enumerate(found.items()):
            devices.append(replace(enflame_device(index, pci_address=address), **facts))
    if found and not listed and not any(machine.exists(node) for node in ("/dev/gcuctl", "/dev/gcu0", "/dev/dtu0")):
        addresses = " ".join(found)
        message = f"{len(found)} on the PCI bus ({addresses}), and no device node of the driver"
        events = (Event(name=f"{BACKEND}-no-node", message=message, source=_BUS),)
    return Report(backend=BACKEND, source="PCI bus", trust=35, devices=tuple(devices), events=events)


def _on_bus(machine: "Machine") -> Iterator[tuple[str, dict[str, Any]]]:
    if not any(pci_id.startswith(_PCI_IDS) for pci_id in machine.pci_ids()):
        return
    for address in machine.list(_BUS):
        vendor, device = (_file(machine, f"{_BUS}/{address}/{name}") for name in ("vendor", "device"))
        pci_id = f"{vendor.removeprefix('0x')}:{device.removeprefix('0x')}".lower()
        if pci_id.startswith(_PCI_IDS) and address.endswith(".0"):
            node = _file(machine, f"{_BUS}/{address}/numa_node")
            yield address, {"pci_id": pci_id, "numa_node": int(node) if node.isdigit() else None}


def _file(machine: "Machine", path: str) -> str:
    try:
        return machine.read(path, 64).strip()
    except OSError:
        return ""


def _sampled(device: Device, latest: Device | None) -> Device:
    if latest is None:
        return device
    own = {f.name for f in fields(device)}
    return replace(device, **{name: getattr(latest, name) for name in _CHANGING if name in own})
