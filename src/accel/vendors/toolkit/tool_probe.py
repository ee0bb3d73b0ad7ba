"""Devices of a vendor whose tool prints a table: first the tool, each call with a deadline, then the PCI bus.

accel.vendors.toolkit.vendor_backend forwards a backend's calls to a ToolProbe, for each vendor that declares a tool.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import replace
from accel.model.device import Device, Gap, Memory, Process, memory_of
from accel.model.merge import filled, merged_devices
from accel.model.observation import Noted
from accel.model.readings import changing_fields
from accel.model.report import Report
from accel.vendors.contract.backend import Reader, Request
from accel.vendors.contract.vendor import Vendor
from accel.vendors.toolkit.notes import noted
from accel.vendors.toolkit.pci_boards import BUS, boards
from accel.vendors.toolkit.presence import shown
from accel.vendors.toolkit.tool_answers import HUNG_BEFORE, answer, failed, why_nothing

if TYPE_CHECKING:
    from accel.machine.process import CommandResult
    from accel.machine.protocol import Machine

_SECONDS: Final = 10.0


class ToolProbe:
    """Queries one vendor's tool.

    readers  for the tool's output
    board    returns what the driver's files say about the board at a PCI address, as fields of its record
    """

    def __init__(
        self,
        vendor: Vendor[Any],
        readers: Callable[[], Sequence[Reader]],
        board: "Callable[[Machine, str], Mapping[str, Any]] | None" = None,
    ) -> None:
        if vendor.tool is None:
            raise TypeError(f"{vendor.name} states no tool")
        self._vendor, self._name, self._tool = vendor, vendor.name, vendor.tool
        self._readers, self._board = readers, board

    def probe(self, machine: "Machine", request: Request) -> Sequence[Report]:
        """Read the tool's output, then the bus, whose devices are used if the tool lists none."""
        answers = list(self._answers(machine, request))
        listed, _ = merged_devices(answers)
        bus = self._bus_report(machine, listed)
        for device in listed or bus.devices:
            request.progress.found(device)
        return (*answers, bus)

    def memory(self, machine: "Machine", device_id: str) -> Memory | None:
        """Read one device's memory; None if the tool does not answer or does not list it."""
        calls = (self._tool.memory_call,) if self._tool.memory_call else self._tool.calls[:1]
        device = self._listed(machine, calls).get(device_id)
        return memory_of(device)

    def sample(self, machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
        """Return the devices with current readings; None, and health "unknown", if the tool no longer reports them."""
        latest = self._listed(machine, self._tool.calls)
        return tuple(_sampled(device, latest.get(device.id)) for device in devices)

    def processes(self, machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
        """Return the processes in the table; in a container, those of its own namespace."""
        return {device.id: device.processes for device in self._listed(machine, self._tool.calls[:1]).values()}

    def _answers(self, machine: "Machine", request: Request) -> Iterator[Report]:
        lists = False
        for arguments in self._tool.calls if request.depth == "devices" else (*self._tool.calls, *self._tool.more):
            if arguments in self._tool.more and not lists:
                return
            call = " ".join((self._tool.names[0], *arguments))
            if (call, None) in request.skip:
                yield failed(self._name, call, HUNG_BEFORE)
                continue
            request.progress.calling(call)
            result = self._run(machine, arguments)
            found = [report for report in self._read(result.stdout) if report.devices or report.driver]
            found = found if _whole(result) else [self._spoilt(call, result, report) for report in found]
            yield from (found if lists else [self._without_health(report) for report in found])
            if any(report.devices for report in found):
                lists = True
                continue
            yield failed(self._name, call, self._why(result))
            if result.missing:
                return

    def _run(self, machine: "Machine", arguments: Sequence[str]) -> "CommandResult":
        return answer(machine, self._tool.names, arguments, _SECONDS)

    def _read(self, text: str) -> Iterator[Report]:
        for reader in self._readers():
            if any(sign in text for sign in reader.signs):
                for reading in reader.read(text):
                    for report in reading.reports:
                        yield replace(report, devices=tuple(map(_with_free_memory, report.devices)))

    def _listed(self, machine: "Machine", calls: Sequence[Sequence[str]]) -> dict[str, Device]:
        """Return the devices that these calls list, by id; earlier calls win."""
        found: dict[str, Device] = {}
        for arguments in calls:
            for device in merged_devices(self._read(self._run(machine, arguments).stdout))[0]:
                found[device.id] = filled(found[device.id], device) if device.id in found else device
        return found

    def _spoilt(self, call: str, result: "CommandResult", report: Report) -> Report:
        """Return the report of a call that failed after printing output: some of it may be missing."""
        gap = Gap(fact=call, reason=self._why(result), backend=self._name, source=call)
        return replace(report, status="partial", gaps=(*report.gaps, gap))

    def _without_health(self, report: Report) -> Report:
        if not self._tool.no_health or not report.devices:
            return report
        gap = Gap(fact="health", reason=self._tool.no_health, backend=self._name, source=report.source)
        return replace(report, gaps=(*report.gaps, gap))

    def _why(self, result: "CommandResult") -> str:
        return why_nothing(self._tool.names[0], result, self._tool.hint)

    def _bus_report(self, machine: "Machine", listed: Sequence[Device]) -> Report:
        """Return what the bus and the driver's files add to the listed devices, or their devices if none is listed."""
        found = dict(self._on_bus(machine))
        boards = [address for address in found if address.endswith(".0")]
        places = {d.pci_address: d.index for d in listed if d.is_top_level and d.pci_address in found}
        if not listed:
            places = {address: index for index, address in enumerate(boards)}
        devices = tuple(
            replace(self._vendor.device(index, pci_address=address), **found[address])
            for address, index in places.items()
            if address is not None
        )
        seen: tuple[Noted, ...] = ()
        nodes = (*self._vendor.shared_nodes, *self._vendor.nodes)
        if boards and not listed and not shown(nodes, machine):
            told = f"{len(boards)} on the PCI bus ({' '.join(boards)}), and no node {' or '.join(nodes)}"
            seen = (noted(self._vendor.fact_driver_absent, told, BUS),)
        return Report(backend=self._name, source="PCI bus", trust=35, devices=devices, observations=seen)

    def _on_bus(self, machine: "Machine") -> Iterator[tuple[str, dict[str, Any]]]:
        if not any(self._vendor.is_board(pci_id) for pci_id in machine.pci_ids()):
            return
        for board in boards(machine, self._vendor.is_board):
            facts = self._board(machine, board.address) if self._board else {}
            yield board.address, {**facts, "pci_id": board.pci_id, "numa_node": board.numa_node}


def _with_free_memory(device: Device) -> Device:
    """Return the device with free memory computed as what is neither used nor reserved, unless its tool prints it."""
    total, used = device.memory_total_bytes, device.memory_used_bytes
    if total is None or used is None or device.memory_free_bytes is not None or device.unified_memory:
        return device
    return replace(device, memory_free_bytes=max(0, total - used - (device.memory_reserved_bytes or 0)))


def _whole(result: "CommandResult") -> bool:
    return result.exit_code == 0 and not result.timed_out


def _sampled(device: Device, latest: Device | None) -> Device:
    fresh: dict[str, Any] = {name: getattr(latest, name, None) for name in changing_fields(type(device))}
    return replace(device, **{**fresh, "health": latest.health if latest else "unknown"})
