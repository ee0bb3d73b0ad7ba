"""Devices of a vendor whose tool prints a table: the tool first, each call with a deadline, then the PCI bus.

A plugin states its tool as a `Tool` and hands its backend's calls on to the functions here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from accel.contract.backend import Reader, Request
from accel.model.device import Device, Gap, Memory, Process, memory_of
from accel.model.merge import filled, merged_devices
from accel.model.report import Event, Report
from accel.toolkit.presence import shown

if TYPE_CHECKING:
    from accel.machine.process import CommandResult
    from accel.machine.protocol import Machine

_SECONDS: Final = 10.0
_BUS: Final = "/sys/bus/pci/devices"
_CHANGING: Final = (
    "memory_used_bytes",
    "memory_free_bytes",
    "utilization_percent",
    "temperature_celsius",
    "power_watts",
    "processes",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A vendor's tool and hardware.

    names        the tool by name, then where its package puts it; the first that is there is used
    hint         where the tool comes from, for those who lack it
    no_health    why the health is never known, where the tool does not state it: said with every list
    calls        the arguments of the calls that list the devices; without arguments the tool prints its table
    more         the arguments of further calls at depth "health", where a device is listed
    memory_call  the arguments of the call that tells a device's memory; without them it is the first of `calls`, which
                 also tells the processes
    pci_ids      what the "vendor:device" of its boards begins with
    no_boards    what it ends with where it is a board's other function: its sound
    nodes        device nodes of its driver: one of them is there if the driver is loaded; "<N>": any number
    readers      the plugin's readers; device makes its record of an index and a PCI address
    facts        what the driver's files tell of the board at a PCI address, as fields of its record
    """

    backend: str
    names: tuple[str, ...]
    pci_ids: tuple[str, ...]
    nodes: tuple[str, ...]
    readers: Callable[[], Sequence[Reader]]
    device: Callable[..., Device]
    hint: str = ""
    no_health: str = ""
    calls: tuple[tuple[str, ...], ...] = ((),)
    more: tuple[tuple[str, ...], ...] = ()
    memory_call: tuple[str, ...] = ()
    no_boards: tuple[str, ...] = ()
    facts: "Callable[[Machine, str], Mapping[str, Any]] | None" = None


def probe(tool: Tool, machine: "Machine", request: Request) -> Sequence[Report]:
    """Read what the tool answers, then the bus: the devices of the bus count where the tool has none."""
    answers = list(_answers(tool, machine, request))
    listed, _ = merged_devices(answers)
    bus = _bus_report(tool, machine, listed)
    for device in listed or bus.devices:
        request.progress.found(device)
    return (*answers, bus)


def memory(tool: Tool, machine: "Machine", device_id: str) -> Memory | None:
    """Read one device's memory; None if the tool does not answer or does not list it."""
    calls = (tool.memory_call,) if tool.memory_call else tool.calls[:1]
    device = _listed(tool, machine, calls).get(device_id)
    return memory_of(device)


def sample(tool: Tool, machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
    """Return the devices with the readings of now; None, and health "unknown", where the tool no longer says them."""
    latest = _listed(tool, machine, tool.calls)
    return tuple(_sampled(device, latest.get(device.id)) for device in devices)


def processes(tool: Tool, machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
    """Return the processes that the table lists: in a container those that its namespace shows."""
    return {device.id: device.processes for device in _listed(tool, machine, tool.calls[:1]).values()}


def _answers(tool: Tool, machine: "Machine", request: Request) -> Iterator[Report]:
    lists = False
    for arguments in tool.calls if request.depth == "devices" else (*tool.calls, *tool.more):
        if arguments in tool.more and not lists:
            return
        call = " ".join((tool.names[0], *arguments))
        if (call, None) in request.skip:
            yield _failed(tool, call, "it hung or crashed before", None)
            continue
        request.progress.calling(call)
        result = _run(tool, machine, arguments)
        found = [report for report in _read(tool, result.stdout) if report.devices or report.driver]
        found = found if _whole(result) else [_spoilt(tool, call, result, report) for report in found]
        yield from (found if lists else [_without_health(tool, report) for report in found])
        if any(report.devices for report in found):
            lists = True
            continue
        yield _failed(tool, call, *_why(tool, result))
        if result.missing:
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


def _listed(tool: Tool, machine: "Machine", calls: Sequence[Sequence[str]]) -> dict[str, Device]:
    """Return the devices that these calls list, by id; what an earlier call says counts."""
    found: dict[str, Device] = {}
    for arguments in calls:
        for device in merged_devices(_read(tool, _run(tool, machine, arguments).stdout))[0]:
            found[device.id] = filled(found[device.id], device) if device.id in found else device
    return found


def _whole(result: "CommandResult") -> bool:
    return result.exit_code == 0 and not result.timed_out


def _spoilt(tool: Tool, call: str, result: "CommandResult", report: Report) -> Report:
    """Return the report of an answer after which the tool failed: more may have been to come."""
    gap = Gap(fact=call, reason=_why(tool, result)[0], backend=tool.backend, source=call)
    return replace(report, status="partial", gaps=(*report.gaps, gap))


def _without_health(tool: Tool, report: Report) -> Report:
    if not tool.no_health or not report.devices:
        return report
    gap = Gap(fact="health", reason=tool.no_health, backend=tool.backend, source=report.source)
    return replace(report, gaps=(*report.gaps, gap))


def _why(tool: Tool, result: "CommandResult") -> tuple[str, str]:
    """Return why the tool listed nothing, or not all, and the name of the event."""
    name = tool.names[0]
    if result.missing:
        hint = f": {tool.hint}" if tool.hint else ""
        return f"{name} is not installed, or not mounted into this container{hint}", f"{tool.backend}-tool-missing"
    if result.timed_out:
        reason = f"{name} gave no answer in {result.seconds:.0f} s and was killed; see  dmesg"
        return reason, f"{tool.backend}-tool-hung"
    printed = "".join(c if c.isprintable() else " " for c in f"{result.stdout} {result.stderr}")
    said = " ".join(printed.split())[:160] or "nothing"
    return f"{name} ended with {result.exit_code} and said: {said}", f"{tool.backend}-tool-no-list"


def _failed(tool: Tool, call: str, reason: str, event: str | None) -> Report:
    gap = Gap(fact="devices", reason=reason, backend=tool.backend, source=call)
    events = (Event(name=event, message=reason, source=call),) if event else ()
    return Report(backend=tool.backend, source=call, status="failed", trust=60, events=events, gaps=(gap,))


def _bus_report(tool: Tool, machine: "Machine", listed: Sequence[Device]) -> Report:
    """Return what the bus and the driver's files add to the listed devices, or the devices if none is listed."""
    found = dict(_on_bus(tool, machine))
    boards = [address for address in found if address.endswith(".0")]
    places = {d.pci_address: d.index for d in listed if d.parent is None and d.pci_address in found}
    if not listed:
        places = {address: index for index, address in enumerate(boards)}
    devices = tuple(
        replace(tool.device(index, pci_address=address), **found[address])
        for address, index in places.items()
        if address is not None
    )
    events: tuple[Event, ...] = ()
    if boards and not listed and not shown(tool.nodes, machine):
        message = f"{len(boards)} on the PCI bus ({' '.join(boards)}), and no node {' or '.join(tool.nodes)}"
        events = (Event(name=f"{tool.backend}-no-node", message=message, source=_BUS),)
    return Report(backend=tool.backend, source="PCI bus", trust=35, devices=devices, events=events)


def _on_bus(tool: Tool, machine: "Machine") -> Iterator[tuple[str, dict[str, Any]]]:
    if not any(pci_id.startswith(tool.pci_ids) for pci_id in machine.pci_ids()):
        return
    for address in machine.list(_BUS):
        vendor, device = (_file(machine, f"{_BUS}/{address}/{name}") for name in ("vendor", "device"))
        pci_id = f"{vendor.removeprefix('0x')}:{device.removeprefix('0x')}".lower()
        if pci_id.startswith(tool.pci_ids) and not pci_id.endswith(tool.no_boards):
            node = _file(machine, f"{_BUS}/{address}/numa_node")
            facts = tool.facts(machine, address) if tool.facts else {}
            yield address, {**facts, "pci_id": pci_id, "numa_node": int(node) if node.isdigit() else None}


def _file(machine: "Machine", path: str) -> str:
    try:
        return machine.read(path, 64).strip()
    except OSError:
        return ""


def _sampled(device: Device, latest: Device | None) -> Device:
    fresh: dict[str, Any] = {name: getattr(latest, name) if latest else None for name in _CHANGING}
    return replace(device, **fresh, health=latest.health if latest else "unknown")
