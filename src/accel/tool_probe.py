"""Devices of a vendor whose tool prints a table: the tool first, each call with a deadline, then the PCI bus.

A plugin states its tool as a `Tool` and hands its backend's calls on to the functions here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

from accel.backend import Reader, Request
from accel.model.device import Device, Gap, Memory, Process
from accel.model.report import Event, Report
from accel.record import record

if TYPE_CHECKING:
    from accel.command import CommandResult
    from accel.machine import Machine

_SECONDS: Final = 10.0
_BUS: Final = "/sys/bus/pci/devices"
_CHANGING: Final = (
    "memory_used_bytes",
    "memory_free_bytes",
    "utilization_percent",
    "temperature_celsius",
    "power_watts",
    "health",
    "processes",
)


@record
class Tool:
    """A vendor's tool and hardware.

    names    the tool by name, then where its package puts it; the first that is there is used
    more     the arguments of further calls at depth "health"; without arguments the tool prints its table
    pci_ids  what the "vendor:device" of its boards begins with
    nodes    device nodes of its driver: one of them is there if the driver is loaded
    readers  the plugin's readers; device makes its record of an index and a PCI address
    """

    backend: str
    names: tuple[str, ...]
    pci_ids: tuple[str, ...]
    nodes: tuple[str, ...]
    readers: Callable[[], Sequence[Reader]]
    device: Callable[..., Device]
    more: tuple[tuple[str, ...], ...] = ()


def probe(tool: Tool, machine: "Machine", request: Request) -> Sequence[Report]:
    """Read what the tool answers, then the bus: the devices of the bus count where the tool has none."""
    answers = list(_answers(tool, machine, request))
    listed = [device for report in answers for device in report.devices]
    bus = _bus_report(tool, machine, listed)
    for device in listed or bus.devices:
        request.progress.found(device)
    return (*answers, bus)


def memory(tool: Tool, machine: "Machine", device_id: str) -> Memory | None:
    """Read one device's memory; None if the tool does not answer or does not list it."""
    device = _table(tool, machine).get(device_id)
    if device is None:
        return None
    return Memory(
        total_bytes=device.memory_total_bytes,
        used_bytes=device.memory_used_bytes,
        free_bytes=device.memory_free_bytes,
    )


def sample(tool: Tool, machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
    """Return the devices with the table's readings of now; None where it no longer says them."""
    latest = _table(tool, machine)
    return tuple(_sampled(device, latest.get(device.id)) for device in devices)


def processes(tool: Tool, machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
    """Return the processes that the table lists."""
    return {device.id: device.processes for device in _table(tool, machine).values()}


def _answers(tool: Tool, machine: "Machine", request: Request) -> Iterator[Report]:
    for arguments in ((),) if request.depth == "devices" else ((), *tool.more):
        call = " ".join((tool.names[0], *arguments))
        if (call, None) in request.skip:
            yield _failed(tool, call, "it hung or crashed before", None)
            continue
        request.progress.calling(call)
        result = _run(tool, machine, arguments)
        found = [report for report in _read(tool, result.stdout) if report.devices or report.driver]
        yield from found
        if not any(report.devices for report in found):
            yield _failed(tool, call, *_why(tool, result))
            return


def _run(tool: Tool, machine: "Machine", arguments: Sequence[str]) -> "CommandResult":
    result = machine.run((tool.names[0], *arguments), _SECONDS)
    for name in tool.names[1:]:
        if not result.missing:
            break
        result = machine.run((name, *arguments), _SECONDS)
    return result


def _read(tool: Tool, text: str) -> Iterator[Report]:
    for reader in tool.readers():
        if any(sign in text for sign in reader.signs):
            for reading in reader.read(text):
                yield from reading.reports


def _table(tool: Tool, machine: "Machine") -> dict[str, Device]:
    return {d.id: d for report in _read(tool, _run(tool, machine, ()).stdout) for d in report.devices}


def _why(tool: Tool, result: "CommandResult") -> tuple[str, str]:
    """Return why the tool listed nothing, and the name of the event."""
    if result.missing:
        return f"{tool.names[0]} is not installed, or not mounted into this container", f"{tool.backend}-tool-missing"
    if result.timed_out:
        return (
            f"{tool.names[0]} gave no answer in {result.seconds:.0f} s and was killed; see  dmesg",
            f"{tool.backend}-tool-hung",
        )
    printed = " ".join(f"{result.stdout} {result.stderr}".split())[:160]
    said = "".join(c if c.isprintable() else "?" for c in printed) or "nothing"
    return f"{tool.names[0]} ended with {result.exit_code} and said: {said}", f"{tool.backend}-tool-no-list"


def _failed(tool: Tool, call: str, reason: str, event: str | None) -> Report:
    gap = Gap(fact="devices", reason=reason, backend=tool.backend, source=call)
    events = (Event(name=event, message=reason, source=call),) if event else ()
    return Report(backend=tool.backend, source=call, status="failed", trust=60, events=events, gaps=(gap,))


def _bus_report(tool: Tool, machine: "Machine", listed: Sequence[Device]) -> Report:
    """Return what the PCI bus adds to the listed devices, or the devices themselves if none is listed."""
    found = dict(_on_bus(tool, machine))
    devices: list[Device] = []
    events: tuple[Event, ...] = ()
    if listed:
        for device in listed:
            if device.pci_address in found:
                known = tool.device(device.index, pci_address=device.pci_address)
                devices.append(replace(known, **found[device.pci_address]))
    else:
        for index, (address, facts) in enumerate(found.items()):
            devices.append(replace(tool.device(index, pci_address=address), **facts))
    if found and not listed and not any(machine.exists(node) for node in tool.nodes):
        addresses = " ".join(found)
        message = f"{len(found)} on the PCI bus ({addresses}), and no device node of the driver"
        events = (Event(name=f"{tool.backend}-no-node", message=message, source=_BUS),)
    return Report(backend=tool.backend, source="PCI bus", trust=35, devices=tuple(devices), events=events)


def _on_bus(tool: Tool, machine: "Machine") -> Iterator[tuple[str, dict[str, Any]]]:
    if not any(pci_id.startswith(tool.pci_ids) for pci_id in machine.pci_ids()):
        return
    for address in machine.list(_BUS):
        vendor, device = (_file(machine, f"{_BUS}/{address}/{name}") for name in ("vendor", "device"))
        pci_id = f"{vendor.removeprefix('0x')}:{device.removeprefix('0x')}".lower()
        if pci_id.startswith(tool.pci_ids) and address.endswith(".0"):
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
