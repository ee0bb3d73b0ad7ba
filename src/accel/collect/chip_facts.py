"""Adds what a device's model implies and its source did not report: architecture, capability, whose memory it uses."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from accel.model.dataclass import replace

if TYPE_CHECKING:
    from accel.model.chip import Chip
    from accel.model.device import Device
    from accel.model.report import Report
    from accel.specs import Specs

    _Value = TypeVar("_Value", str, bool)

_FILLED: Final = ("architecture", "compute_capability", "unified_memory")
_OF_THE_SYSTEM: Final = ("shared", "unified")  # in a chip's type of memory: "LPDDR5X (unified)"


def with_chip_facts(reports: "Sequence[Report]", specs: "Callable[[], Specs]") -> "tuple[Report, ...]":
    """Return the reports with completed devices. specs: only called if something is missing."""
    if not any(_lacks(device) for report in reports for device in report.devices):
        return tuple(reports)
    return tuple(replace(report, devices=completed(report.devices, specs())) for report in reports)


def completed(devices: "Iterable[Device]", specs: "Specs") -> "tuple[Device, ...]":
    """Return the devices with facts that all products matching the PCI id or name have in common.

    A partition has the chip of its whole device.
    """
    whole: dict[str, Device] = {}
    found: list[Device] = []
    for device in devices:
        found.append(_completed(device, whole.get(device.parent or ""), specs) if _lacks(device) else device)
        whole[device.id] = found[-1]
    return tuple(found)


def _lacks(device: "Device") -> bool:
    return device.kind != "cpu" and None in (device.architecture, device.compute_capability, device.unified_memory)


def _completed(device: "Device", whole: "Device | None", specs: "Specs") -> "Device":
    if whole is not None:
        told = {name: getattr(whole, name) for name in _FILLED}
    else:
        chips = _chips(device, specs)
        told = {
            "architecture": _common({chip.architecture for chip in chips}),
            "compute_capability": _common({chip.compute_capability or chip.compute_target for chip in chips}),
            "unified_memory": _common({_unified(chip) for chip in chips}),
        }
    new = {name: value for name, value in told.items() if value is not None and getattr(device, name) is None}
    return replace(device, **new, from_specs=(*device.from_specs, *new)) if new else device


def _unified(chip: "Chip") -> bool | None:
    if chip.memory_type is None:
        return None
    return any(word in chip.memory_type for word in _OF_THE_SYSTEM)


def _chips(device: "Device", specs: "Specs") -> "Sequence[Chip]":
    exact = specs.chip(pci_id=device.pci_id, vendor=device.backend) if device.pci_id else None
    if exact is not None:
        return (exact,)
    return specs.find(device.name, device.backend) if device.name else ()


def _common(values: "set[_Value | None]") -> "_Value | None":
    """Return the only value; None if there are several or none."""
    return next(iter(values)) if len(values) == 1 else None
