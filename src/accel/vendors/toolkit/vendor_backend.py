"""The Backend derived from a vendor's declaration. It loads nothing of the vendor's before such hardware is found."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from accel.vendors.contract.vendor import Vendor
from accel.vendors.toolkit.members import readers_of
from accel.vendors.toolkit.presence import shown

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.device import Device, Memory, Process
    from accel.model.readings import Readings
    from accel.model.report import Report
    from accel.vendors.contract.backend import Mask, Reader, Request
    from accel.vendors.contract.metric_names import MetricNames
    from accel.vendors.contract.watching import Wanted, Watchable


class Source(Protocol):
    """What is used on a live machine: a vendor's module `live`, or its tool."""

    def probe(self, machine: "Machine", request: "Request") -> "Sequence[Report]": ...

    def memory(self, machine: "Machine", device_id: str) -> "Memory | None": ...

    def sample(self, machine: "Machine", devices: "Sequence[Device]") -> "Sequence[Device]": ...

    def processes(self, machine: "Machine") -> "Mapping[str, tuple[Process, ...] | None]": ...


class VendorBackend:
    """The Backend of a vendor. readers: those of its tool, if they are not those of its package."""

    def __init__(self, vendor: "Vendor[Any]", readers: "Callable[[], Sequence[Reader]] | None" = None) -> None:
        self.name, self.vendor = vendor.name, vendor.maker
        self._stated = vendor
        self._readers = readers or (lambda: readers_of(vendor.package))

    @property
    def stated(self) -> "Vendor[Any]":
        """The vendor's declaration."""
        return self._stated

    def nodes_by_address(self, machine: "Machine") -> "Mapping[str, str]":
        """Return the PCI addresses of device nodes that neither sysfs nor the device records relate to one."""
        found: Mapping[str, str] = self._own("nodes").by_address(machine) if "nodes" in self._stated.own else {}
        return found

    @property
    def device_type(self) -> "type[Device]":
        return self._stated.record

    def detect(self, machine: "Machine") -> bool:
        """Return whether one of the signs is present; on the PCI bus, a board."""
        if "presence" in self._stated.own:
            return bool(self._own("presence").may_be_here(machine))
        others = (*self._stated.nodes, *self._stated.traces)
        return any(self._stated.is_board(pci_id) for pci_id in machine.pci_ids()) or shown(others, machine)

    def probe(self, machine: "Machine", request: "Request") -> "Sequence[Report]":
        return self._source.probe(machine, request)

    def memory(self, machine: "Machine", device_id: str) -> "Memory | None":
        return self._source.memory(machine, device_id)

    def sample(self, machine: "Machine", devices: "Sequence[Device]") -> "Sequence[Device]":
        return self._source.sample(machine, devices)

    def processes(self, machine: "Machine") -> "Mapping[str, tuple[Process, ...] | None]":
        return self._source.processes(machine)

    def visible(self, devices: "Sequence[Device]", variables: "Mapping[str, str]") -> "Sequence[Device]":
        if "visibility" in self._stated.own:
            follow: Callable[..., Sequence[Device]] = self._own("visibility").visible
            return follow(devices, variables)
        from accel.vendors.toolkit.visibility import visible_by_masks

        return visible_by_masks(devices, variables, self._stated.masks)

    def mask(self, chosen: "Sequence[Device]", devices: "Sequence[Device]", variables: "Mapping[str, str]") -> "Mask":
        if "visibility" not in self._stated.own:
            from accel.vendors.toolkit.masking import mask_by_masks

            return mask_by_masks(chosen, devices, variables, self._stated.masks)
        if hasattr(self._own("visibility"), "mask"):
            make: Callable[..., Mask] = self._own("visibility").mask
            return make(chosen, devices, variables)
        from accel.vendors.toolkit.masking import not_told

        return not_told(self.name)

    @property
    def columns(self) -> "Mapping[str, str]":
        """The names of the record's fields in the queries of the vendor's tool, by the tool's name."""
        named: Mapping[str, str] = self._own("columns").NAMES if "columns" in self._stated.own else {}
        return named

    @property
    def metric_names(self) -> "Sequence[MetricNames]":
        """The names of its devices' readings in other exporters."""
        named: Sequence[MetricNames] = self._own("metrics").NAMES if "metrics" in self._stated.own else ()
        return named

    @cached_property
    def readings(self) -> "Callable[[Machine, Sequence[Device], Wanted], Sequence[Readings]]":
        """Its `readings`, see accel.vendors.contract.watching; AttributeError if it has none."""
        live = self._own("live") if "live" in self._stated.own else None  # a tool alone is sampled
        begin: Callable[[], Watchable] | None = getattr(live, "watching", None)
        if begin is None:
            raise AttributeError(f"{self.name} is watched by its sample")
        return begin().readings

    @cached_property
    def _source(self) -> "Source":
        if "live" in self._stated.own:
            own: Source = self._own("live")
            return own
        from accel.vendors.toolkit.tool_probe import ToolProbe

        board = self._own("board").facts if "board" in self._stated.own else None
        return ToolProbe(self._stated, self._readers, board)

    def _own(self, module: str) -> Any:
        return import_module(f"{self._stated.package}.{module}")
