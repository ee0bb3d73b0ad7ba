"""A backend out of a tool rule: no line of the vendor's code is needed to list its devices on a live machine."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from accel.contract.backend import Request
from accel.layouts.layout import ReaderRule
from accel.layouts.tool import ToolRule
from accel.model.device import Device, Memory, Process
from accel.model.report import Report
from accel.readers.ruled import ruled_readers
from accel.toolkit import tool_probe
from accel.toolkit.presence import shown
from accel.toolkit.visibility import visible_by_list

if TYPE_CHECKING:
    from accel.machine.protocol import Machine


class DataBackend:
    """The Backend of one tool rule and the reader rules of its backend."""

    device_type = Device

    def __init__(self, rule: ToolRule, readers: Sequence[ReaderRule]) -> None:
        self.name, self.vendor, self._rule = rule.backend, rule.vendor, rule
        made = ruled_readers(reader for reader in readers if reader.backend == rule.backend)
        self._tool = tool_probe.Tool(
            backend=rule.backend,
            names=rule.command,
            hint=rule.hint,
            calls=(rule.arguments,),
            more=rule.more,
            memory_call=rule.arguments,
            pci_ids=rule.pci_ids,
            nodes=rule.nodes,
            readers=lambda: made,
            device=partial(_device, rule),
        )

    def detect(self, machine: "Machine") -> bool:
        """Say whether a board is on the bus, a node is there, or the tool is on PATH or where its package puts it."""
        tool, *places = self._rule.command
        signs = (*(f"pci:{pci_id}" for pci_id in self._rule.pci_ids), *self._rule.nodes, f"tool:{tool}", *places)
        return shown(signs, machine)

    def probe(self, machine: "Machine", request: Request) -> Sequence[Report]:
        return tool_probe.probe(self._tool, machine, request)

    def memory(self, machine: "Machine", device_id: str) -> Memory | None:
        return tool_probe.memory(self._tool, machine, device_id)

    def sample(self, machine: "Machine", devices: Sequence[Device]) -> Sequence[Device]:
        return tool_probe.sample(self._tool, machine, devices)

    def processes(self, machine: "Machine") -> Mapping[str, tuple[Process, ...] | None]:
        """Rules read no processes: they are not known."""
        return {}

    def visible(self, devices: Sequence[Device], variables: Mapping[str, str]) -> Sequence[Device]:
        masks, names = (tuple(filter(None, (one,))) for one in (self._rule.mask, self._rule.runtime))
        return visible_by_list(devices, variables, masks=masks, names=names)


def _device(rule: ToolRule, index: int, **facts: Any) -> Device:
    device = Device(id=f"{rule.backend}:{index}", index=index, backend=rule.backend, vendor=rule.vendor, kind=rule.kind)
    return replace(device, **facts)
